package org.slipstream.ntb;

/**
 * Whether a process that stores changing values is still there. One thread looks, by its own clock
 * and by the number of its looks: after a pause of the machine, or of this process, the other one
 * has the time of many looks to store again.
 */
final class Heartbeat {
  static final long PATIENCE_NS = 10_000_000_000L;

  /** Looks at one value. */
  static final int LOOKS = 200;

  /** Two looks within so long count as one. */
  static final long PACE_NS = 1_000_000;

  private long value;
  private long since;
  private long last;
  private int looks;

  /** Written by the thread that looks. */
  private volatile boolean silent;

  /**
   * Looks.
   *
   * @param now what the other process has stored; 0 = it does not do so
   * @param nanos of a clock
   */
  void look(long now, long nanos) {
    if (now != value || now == 0) {
      value = now;
      since = nanos;
      last = nanos;
      looks = 0;
      silent = false;
    } else if (nanos - last >= PACE_NS) {
      last = nanos;
      looks++;
      silent = looks >= LOOKS && nanos - since >= PATIENCE_NS;
    }
  }

  /** Whether it stores no more. Any thread. */
  boolean isSilent() {
    return silent;
  }
}
