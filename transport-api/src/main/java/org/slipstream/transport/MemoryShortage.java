package org.slipstream.transport;

import java.util.concurrent.locks.LockSupport;

/**
 * For what a peer waits for, and what must be done although the heap is full at this moment: it is
 * tried again, for a second or so. Other threads of a process that runs out of memory fail and give
 * theirs back, and such a process often lives on. A loop of the caller, because a task to be passed
 * here would need memory itself:
 *
 * <pre>{@code
 * for (int attempt = 1; ; attempt++) {
 *   try {
 *     return ring();
 *   } catch (OutOfMemoryError e) {
 *     MemoryShortage.rest(attempt, e);
 *   }
 * }
 * }</pre>
 */
public final class MemoryShortage {
  /** What asks for more than there ever is must not hold up its thread for long. */
  private static final int ATTEMPTS = 100;

  private static final long REST_NS = 10_000_000;

  private MemoryShortage() {}

  /** Loads this class, for which there may be no memory when it is needed. */
  public static void prepare() {
    // Nothing else.
  }

  /**
   * Sleeps for 10 ms, whatever the interrupt status of the thread; allocates nothing.
   *
   * @param attempt which one has failed, from 1 on
   * @param failure of it
   * @throws OutOfMemoryError the failure, behind the hundredth attempt
   */
  public static void rest(int attempt, OutOfMemoryError failure) {
    if (attempt >= ATTEMPTS) {
      throw failure;
    }
    rest();
  }

  /**
   * Does what undoes something, or gives it back, again and again until there is memory for it.
   *
   * @param task made before there is something to undo; its second run does what the first left out
   * @throws OutOfMemoryError the last failure, behind a second or so
   */
  public static void insist(Runnable task) {
    for (int attempt = 1; ; attempt++) {
      try {
        task.run();
        return;
      } catch (OutOfMemoryError e) {
        rest(attempt, e);
      }
    }
  }

  /** Sleeps for 10 ms, less if the thread is interrupted; allocates nothing. */
  public static void rest() {
    LockSupport.parkNanos(REST_NS);
  }
}
