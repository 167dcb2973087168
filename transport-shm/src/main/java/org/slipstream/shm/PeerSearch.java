package org.slipstream.shm;

import java.util.function.Consumer;
import org.slipstream.transport.Session;

/**
 * The outcome of one search for the processes that announce an address: each session is reported,
 * and the caller is told once if none of them came about. Reactor only.
 */
final class PeerSearch {
  private final Consumer<Session> answer;
  private final Runnable none;
  private int undecided;
  private boolean answered;

  PeerSearch(Consumer<Session> answer, Runnable none) {
    this.answer = answer;
    this.none = none;
  }

  /** A process was found; {@link #opened} or {@link #lost} follows. */
  void found() {
    undecided++;
  }

  /** Its session is open. */
  void opened(Session session) {
    undecided--;
    answered = true;
    answer.accept(session);
  }

  /** Its session ended before it was open. */
  void lost() {
    undecided--;
    if (undecided == 0 && !answered) {
      none.run();
    }
  }
}
