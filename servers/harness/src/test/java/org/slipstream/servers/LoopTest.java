package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Scenario.Figures;

class LoopTest {
  /** Operations of 1, 2, 3 ... microseconds, the longest first. */
  private static Figures figures(int operations) {
    long[] nanos = LongStream.range(0, operations).map(i -> 1000 * (operations - i)).toArray();
    return Loop.figures(2, nanos, 500_000_000);
  }

  @Test
  void countsAndRanks() {
    assertThat(figures(100)).isEqualTo(new Figures(200, 400, 50, 99));
    assertThat(figures(1001)).isEqualTo(new Figures(2002, 4004, 501, 991));
  }

  @Test
  void theLongestOfAFewIsNoPercentile() {
    assertThat(figures(99)).isEqualTo(new Figures(198, 396, 50, Double.NaN));
    assertThat(figures(1)).isEqualTo(new Figures(2, 4, 1, Double.NaN));
  }
}
