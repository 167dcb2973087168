package org.slipstream.testkit;

import java.time.Duration;

/**
 * How long tests wait for what must come. An emulated machine is many times slower: {@code
 * -Dslipstream.test.patience=10} multiplies every such wait there.
 */
public final class Patience {
  private static final int FACTOR = Integer.getInteger("slipstream.test.patience", 1);

  private Patience() {}

  /**
   * A wait on an ordinary machine.
   *
   * @param seconds there
   * @return here
   */
  public static Duration seconds(int seconds) {
    return Duration.ofSeconds((long) seconds * FACTOR);
  }
}
