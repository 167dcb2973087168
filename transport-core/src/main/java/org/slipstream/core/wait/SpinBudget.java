package org.slipstream.core.wait;

/**
 * How long one waiter may look before it sleeps: what it has learnt from its earlier waits. Knows
 * nothing of clocks, so it is tested without one. Guarded like its {@link Spinner}.
 *
 * <p>The budget grows slower than it shrinks: spinning goes on only where more than half of the
 * spins are hits. One in three would keep a core busy that the program's other threads could use.
 *
 * <p>Two ends that both sleep wait for two wake-ups each time, which may be longer than the budget:
 * on a busy host one takes a quarter of a millisecond. A probe is as long as such a wait. If it is
 * a hit, this end stays awake for a number of waits, so that the other end can find out that it
 * need not sleep either; answers come soon then, and all is as before. If they do not, the peer
 * really computes for so long, and sleeping is right.
 */
final class SpinBudget {
  /** A budget below this part of the maximum is none. */
  private static final int SMALLEST_PART = 8;

  /** After so many short sleeps in a row, one full spin is tried. */
  static final int PROBE_AFTER = 16;

  /** While such trials fail, the next one waits for twice as many, up to so many. */
  static final int MAX_PROBE_AFTER = 512;

  /** A wait of so many maxima is not short: no probe is longer. */
  static final int LONGEST_PROBE = 8;

  /** So many waits a probe that was a late hit goes on: longer than the first row of the peer. */
  static final int TRIAL = 64;

  private final int maxNs;
  private int ns;
  private int shortSleeps;
  private int probeAfter = PROBE_AFTER;

  /** So many spins of a probe and of the trial behind it are left; 0: neither. */
  private int probes;

  SpinBudget(int maxNs) {
    this.maxNs = maxNs;
    this.ns = maxNs;
  }

  /** Nanoseconds; 0: do not spin. */
  int ns() {
    return ns;
  }

  /**
   * What was waited for came while we looked.
   *
   * @param late later than any spin but a probe would have lasted
   */
  void hit(boolean late) {
    shortSleeps = 0;
    if (probes == 0) {
      ns = Math.min(maxNs, ns + ns / 4);
    } else if (!late) {
      probes = 0;
      probeAfter = PROBE_AFTER;
      ns = maxNs;
    } else if (--probes == 0) {
      failed();
    }
  }

  /** It did not come while we looked. */
  void miss() {
    if (probes > 0) {
      probes = 0;
      failed();
    } else {
      ns -= ns / 4;
      if (ns < maxNs / SMALLEST_PART) {
        ns = 0;
      }
    }
  }

  private void failed() {
    probeAfter = Math.min(MAX_PROBE_AFTER, 2 * probeAfter);
    ns = 0;
  }

  /**
   * It came while we slept, or were about to.
   *
   * @param waited how long it took in all, in nanoseconds; a long wait says that the peer has
   *     nothing to say, a short one that perhaps both ends sleep although neither would have to
   */
  void slept(long waited) {
    if (waited > (long) LONGEST_PROBE * maxNs) {
      shortSleeps = 0;
    } else if (ns == 0 && maxNs != 0 && ++shortSleeps >= probeAfter) {
      shortSleeps = 0;
      ns = (int) Math.max(maxNs, waited);
      probes = 1 + TRIAL;
    }
  }
}
