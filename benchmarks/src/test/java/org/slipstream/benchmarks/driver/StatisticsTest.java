package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
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

  @Test
  void knowsHowSureTheMedianIs() {
    // The ranks of tables of the sign test: 1 and 6 of 6, 2 and 9 of 10, 10 and 21 of 30.
    assertThat(Statistics.medianInterval(upTo(6))).isEqualTo(new Row.Spread(1, 6));
    assertThat(Statistics.medianInterval(upTo(10))).isEqualTo(new Row.Spread(2, 9));
    assertThat(Statistics.medianInterval(upTo(30))).isEqualTo(new Row.Spread(10, 21));
  }

  private static List<Double> upTo(int most) {
    return IntStream.rangeClosed(1, most).mapToObj(i -> (double) i).toList();
  }
}
