package org.slipstream.memory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slipstream.memory.Questions.Answer;
import org.slipstream.memory.Questions.Poll;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.Session;

/**
 * The memory servers of this user on this host. Nothing is started for them to find each other: the
 * eldest decides which of two clients gets a name.
 */
final class HostLenders implements Lenders {
  /** A server that lives and is not stopped answers within milliseconds. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How long a stopped server keeps a reservation that can do without it. */
  private static final Duration IMPATIENCE = Duration.ofMillis(500);

  /** Servers may end while they are asked. */
  private static final int TRIES = 5;

  /** What a server said of itself. */
  private record Server(Session session, long since, long chunkBytes, int free, boolean has) {}

  private final Questions questions;

  HostLenders(Questions questions) {
    this.questions = questions;
  }

  @Override
  public List<Offer> offers() throws IOException, InterruptedException {
    List<Offer> offers = new ArrayList<>();
    for (Server server : hail("", IMPATIENCE)) {
      Session session = server.session;
      offers.add(
          new Offer(question -> questions.ask(session, question), server.chunkBytes, server.free));
    }
    return offers;
  }

  @Override
  public Named reserve(String name, Chunks chunks) throws IOException, InterruptedException {
    for (int tries = 0; tries < TRIES; tries++) {
      Session eldest = eldest(name).session;
      List<Chunk> taken = new ArrayList<>();
      Runnable release = () -> chunks.give(taken);
      Runnable undo =
          () -> {
            release.run();
            Poll _ =
                questions.ask(eldest, "done " + name); // also of a claim whose answer is unknown
          };
      Named made = new Named(taken, release);
      boolean isOthers = false;
      boolean done = false;
      try {
        String claim = questions.ask(eldest, "claim " + name).say(PATIENCE);
        if (claim.equals("ok")) {
          eldest(name); // another process may have got the name first
          chunks.take(name, taken);
          done = questions.ask(eldest, "done " + name).say(PATIENCE).equals("ok");
        }
        isOthers = claim.equals("taken");
      } finally {
        if (!done && !isOthers) {
          MemoryShortage.insist(undo);
        }
      }
      if (isOthers) {
        throw Lenders.taken(name);
      }
      if (done) {
        return made;
      }
      // The server that decides has ended, and another process may have asked the next one.
    }
    throw new IOException("'" + name + "' was not reserved: memory servers end all the time");
  }

  /** The one that decides about names, if the name is free. */
  private Server eldest(String name) throws IOException, InterruptedException {
    List<Server> all = hail(name, PATIENCE);
    if (all.stream().anyMatch(Server::has)) {
      throw Lenders.taken(name);
    }
    return all.getFirst();
  }

  /** All servers that answer, the eldest first. */
  private List<Server> hail(String name, Duration patience)
      throws IOException, InterruptedException {
    Poll poll = questions.askAll(ServerBook.ROLE, "hail " + name);
    List<Server> servers = new ArrayList<>();
    for (Answer answer : poll.await(patience)) {
      String[] words = answer.text().split(" ", -1);
      if (words[0].equals("server")) {
        servers.add(
            new Server(
                answer.session(),
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Integer.parseInt(words[3]),
                words[4].equals("1")));
      }
    }
    if (!name.isEmpty() && poll.silent() > 0) {
      throw new IOException(
          "A memory server does not answer; it may be stopped. Names are given out when it goes on"
              + " or ends");
    }
    if (servers.isEmpty()) {
      throw new IOException(
          "No memory server of this user answers; start one: slipstream memory serve --size 1g");
    }
    servers.sort(Comparator.comparingLong(Server::since));
    return servers;
  }

  @Override
  public List<Grant> grants(String name) throws IOException, InterruptedException {
    List<Grant> grants = new ArrayList<>();
    int count = 1;
    for (int i = 0; i < count; i++) {
      String[] words = find(name, i);
      count = Integer.parseInt(words[1]);
      grants.add(Grant.decode(words[2]));
    }
    return grants;
  }

  private String[] find(String name, int index) throws IOException, InterruptedException {
    Poll poll = questions.askAll(ServerBook.ROLE, "find " + index + " " + name);
    for (Answer answer : poll.await(PATIENCE)) {
      String[] words = answer.text().split(" ", 3);
      if (words[0].equals("chunk")) {
        return words;
      }
    }
    throw Lenders.unknown(name, index, poll.silent() == 0, "no process has reserved it for others");
  }
}
