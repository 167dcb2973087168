package org.slipstream.transport;

import java.util.function.Consumer;

/**
 * The outcome of one search for the processes that announce an address: each session is reported,
 * and the caller is told once if none of them came about. For the reactor's thread only.
 */
public final class PeerSearch {
  private final Consumer<Session> answer;
  private final Runnable none;
  private int undecided;
  private boolean answered;

  /**
   * No process has been found yet.
   *
   * @param answer called for each session that has opened
   * @param none called once instead, if the sessions with all processes ended before they were open
   */
  public PeerSearch(Consumer<Session> answer, Runnable none) {
    this.answer = answer;
    this.none = none;
  }

  /** A process was found; {@link #opened} or {@link #lost} follows. */
  public void found() {
    undecided++;
  }

  /**
   * The session with a process that was found is open.
   *
   * @param session with it
   * @throws OutOfMemoryError as of the caller's answer; then this was not said yet
   */
  public void opened(Session session) {
    answer.accept(session);
    undecided--;
    answered = true;
  }

  /**
   * The session with a process that was found ended before it was open, or before there was memory
   * for all that {@link #opened} does.
   */
  public void lost() {
    if (undecided == 1 && !answered) {
      none.run();
    }
    undecided--;
  }
}
