package org.slipstream.testkit;

/**
 * How often tests repeat what is to be true every time, and how much they move. An emulated machine
 * runs the same contracts as this one, tens of times slower: {@code -Dslipstream.test.extent=4}
 * gives it a quarter of the repetitions. What is tested stays; rows over shared memory and NTB
 * repeat it in full.
 */
public final class Extent {
  private static final int DIVISOR = Integer.getInteger("slipstream.test.extent", 1);

  private Extent() {}

  /**
   * Whether this is an emulated machine.
   *
   * @return true if an ordinary machine runs the same tests in full
   */
  public static boolean isReduced() {
    return DIVISOR > 1;
  }

  /**
   * A number of repetitions or bytes.
   *
   * @param full on an ordinary machine
   * @return here, at least one
   */
  public static int of(int full) {
    return Math.max(1, full / DIVISOR);
  }

  /**
   * A number of repetitions or bytes, or a time for which something goes on.
   *
   * @param full on an ordinary machine
   * @return here, at least one
   */
  public static long of(long full) {
    return Math.max(1, full / DIVISOR);
  }
}
