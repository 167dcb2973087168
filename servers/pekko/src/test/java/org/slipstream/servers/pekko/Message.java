package org.slipstream.servers.pekko;

/** What actors say to each other. */
sealed interface Message {
  /** To whom, or, in what goes to the client, from whom. */
  int vertex();

  /** The client begins a run. */
  record Start(int vertex, int run) implements Message {}

  /** A neighbour gives a share of its rank. */
  record Share(int vertex, int run, int step, double share) implements Message {}

  /** To the client: the rank after the last step. */
  record Done(int vertex, int run, double rank) implements Message {}

  /** The client asks for the same text. */
  record Question(int vertex, String text) implements Message {}

  /** To the client. */
  record Answer(int vertex, String text) implements Message {}
}
