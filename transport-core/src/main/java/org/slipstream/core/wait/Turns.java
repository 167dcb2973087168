package org.slipstream.core.wait;

/**
 * Whether a waiter that does not spin yields once before it sleeps. Where more threads want to run
 * than there are cores, what it waits for is often there when the waiter has its turn again: it did
 * not sleep, and the peer did not have to wake it. That is so only while most of the threads yield,
 * because their turns are the time in which the answer comes; so the process learns it, and not a
 * stream.
 *
 * <p>A yield costs about a quarter of a sleep and its wake-up, so it goes on where one of four is a
 * hit. Knows nothing of clocks. Shared by all waiters of a process; all fields are racy on purpose,
 * as those of {@link LoadSensor}.
 */
final class Turns {
  private static final int WORTH_OF_A_HIT = 3;
  private static final int COST_OF_A_LONG_TURN = 64;
  private static final int MOST_TRUST = 1024;

  /** A trial ends after so many misses: all threads of a crowd have taken part by then. */
  static final int TRIAL = 512;

  /** So many waits sleep at once before a trial; after each that failed, twice as many. */
  static final int FIRST_GAP = 16 * TRIAL;

  static final int LONGEST_GAP = 1024 * TRIAL;

  /** After so many yields all waits sleep for a while, to know anew how long that takes. */
  static final int ROUND = 1 << 17;

  static final int COMPARED = ROUND / 64;

  /** A turn that took so many times as long as a usual wait is long. */
  static final int LONG = 3;

  /** No wait is called shorter than this. */
  static final long SHORT_NS = 50_000;

  /** The estimate of a usual wait moves by this part of itself. */
  private static final int STEP = 16;

  /** So many misses are borne; 0 or less: yields are not worth it. */
  private int trust;

  private int gap = FIRST_GAP;

  /** So many waits until the next trial. */
  private int untilTrial = FIRST_GAP;

  /** Yields of this round. */
  private int yields;

  /** About the median of the waits of those times in which all sleep at once. */
  private long usual = SHORT_NS;

  /** When the last time slice of another thread was over. */
  private long slice;

  /**
   * Knows nothing yet.
   *
   * @param now of the clock
   */
  Turns(long now) {
    slice = now;
  }

  /** Whether this wait yields; {@link #taken} follows then. */
  boolean areWorthIt() {
    if (trust <= 0) {
      if (--untilTrial > 0) {
        return false;
      }
      trust = TRIAL;
      yields = 0;
    }
    if (++yields < ROUND) {
      return true;
    }
    trust = 0;
    untilTrial = COMPARED;
    return false;
  }

  /**
   * A waiter has slept at once.
   *
   * @param nanos how long its wait was
   */
  void slept(long nanos) {
    if (trust <= 0) { // among threads that yield, the few that sleep are preferred
      long step = usual / STEP;
      usual = Math.max(SHORT_NS, nanos > usual ? usual + step : usual - step);
    }
  }

  /**
   * A waiter has yielded. If that took much longer than a wait that sleeps, the core went to a
   * thread that computes, for a time slice; the scheduler prefers threads that slept.
   *
   * @param met whether what it waited for was there then
   * @param nanos how long the yield took
   * @param now when it ended
   */
  void taken(boolean met, long nanos, long now) {
    int before = trust;
    if (before <= 0) {
      return; // the trial has ended meanwhile
    }
    int after = before - 1;
    if (nanos > LONG * usual) {
      if (now - nanos - slice < 0) {
        return; // one slice makes the turns of all threads long that wait for this core
      }
      slice = now;
      after = before - COST_OF_A_LONG_TURN;
    } else if (met) {
      after = Math.min(MOST_TRUST, before + WORTH_OF_A_HIT);
    }
    trust = after;
    if (after == MOST_TRUST) {
      gap = FIRST_GAP;
    } else if (after <= 0) {
      untilTrial = gap;
      gap = Math.min(LONGEST_GAP, 2 * gap);
    }
  }
}
