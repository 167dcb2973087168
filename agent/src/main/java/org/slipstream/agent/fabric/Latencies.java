package org.slipstream.agent.fabric;

import java.util.Arrays;

/** Round trips of one size over one way. One thread. */
final class Latencies {
  /** More would not change the median, and each takes eight bytes. */
  private static final int MOST = 500_000;

  private long[] nanos = new long[4096];
  private int count;

  void add(long sample) {
    if (count == nanos.length && count < MOST) {
      nanos = Arrays.copyOf(nanos, Math.min(MOST, 2 * count));
    }
    if (count < nanos.length) {
      nanos[count++] = sample;
    }
  }

  int count() {
    return count;
  }

  /**
   * The sample at or below which so many of a hundred lie.
   *
   * @return 0 without samples
   */
  long percentile(int percent) {
    if (count == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1, (long) count * percent / 100)];
  }
}
