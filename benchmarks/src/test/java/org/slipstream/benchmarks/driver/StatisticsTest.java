package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  @Test
  void takesTheMiddle() {
    assertThat(Statistics.median(List.of(3.0, 1.0, 100.0))).isEqualTo(3.0);
    assertThat(Statistics.median(List.of(4.0, 1.0, 2.0, 100.0))).isEqualTo(3.0);
    assertThat(Statistics.median(List.of())).isNaN();
  }

  @Test
  void findsTheEnds() {
    assertThat(Statistics.spread(List.of(3.0, 1.0, 2.0))).isEqualTo(new Row.Spread(1.0, 3.0));
  }
}
