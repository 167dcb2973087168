package org.slipstream.core.wait;

/**
 * How long one waiter may look before it sleeps: what it has learnt from its earlier waits. Knows
 * nothing of clocks, so it is tested without one. Guarded like its {@link Spinner}.
 *
 * <p>The budget grows slower than it shrinks: spinning goes on only where more than half of the
 * spins are hits. One in three would keep a core busy that the program's other threads could use.
 */
final class SpinBudget {
  /** A budget below this part of the maximum is none. */
  private static final int SMALLEST_PART = 8;

  /** After so many short sleeps in a row, one full spin is tried. */
  static final int PROBE_AFTER = 16;

  /** While such trials fail, the next one waits for twice as many, up to so many. */
  static final int MAX_PROBE_AFTER = 512;

  private final int maxNs;
  private int ns;
  private int shortSleeps;
  private int probeAfter = PROBE_AFTER;
  private boolean probing;

  SpinBudget(int maxNs) {
    this.maxNs = maxNs;
    this.ns = maxNs;
  }

  /** Nanoseconds; 0: do not spin. */
  int ns() {
    return ns;
  }

  /** What was waited for came while we looked. */
  void hit() {
    shortSleeps = 0;
    if (probing) {
      probing = false;
      probeAfter = PROBE_AFTER;
    } else if (ns < maxNs) {
      ns = Math.min(maxNs, ns + ns / 4);
    }
  }

  /** It did not come while we looked. */
  void miss() {
    if (probing) {
      probing = false;
      probeAfter = Math.min(MAX_PROBE_AFTER, 2 * probeAfter);
      ns = 0;
    } else {
      ns -= ns / 4;
      if (ns < maxNs / SMALLEST_PART) {
        ns = 0;
      }
    }
  }

  /**
   * It came while we slept.
   *
   * @param soon so soon that a spin might have caught it: perhaps both ends sleep although neither
   *     would have to
   */
  void slept(boolean soon) {
    if (!soon) {
      shortSleeps = 0;
    } else if (ns == 0 && maxNs != 0 && ++shortSleeps >= probeAfter) {
      shortSleeps = 0;
      ns = maxNs;
      probing = true;
    }
  }
}
