package org.slipstream.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleTest {
  @ParameterizedTest
  @ValueSource(doubles = {0.000_3, 0.7, 1, 99.9, 100, 12_345, 9.99e11})
  void anAxisFromZeroHoldsWhatItHasToWithFewTicks(double most) {
    Scale scale = Scale.fromZero(new double[] {most / 3, most});
    assertThat(scale.first()).isZero();
    assertThat(scale.at(0)).isZero();
    assertThat(scale.at(most)).isBetween(0.8, 1 + 1e-9);
    assertThat(scale.ticks()).hasSizeBetween(4, 7).isSorted();
    assertThat(scale.ticks().getLast()).isCloseTo(scale.last(), within(1e-9 * most));
  }

  @Test
  void anAxisWithoutValuesIsStillAnAxis() {
    assertThat(Scale.fromZero(new double[] {0}).ticks()).hasSizeGreaterThan(1);
    assertThat(Scale.fromZero(new double[0]).last()).isPositive();
    assertThat(Scale.logarithmic(new double[0], new double[0]).last()).isGreaterThan(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.01, 3, 30, 1000, 123_456})
  void aLogarithmicAxisHoldsBothEnds(double ratio) {
    double least = 0.23;
    Scale scale = Scale.logarithmic(new double[] {least}, new double[] {least * ratio});
    assertThat(scale.at(least)).isBetween(0.0, 1.0);
    assertThat(scale.at(least * ratio)).isBetween(0.0, 1 + 1e-9);
    assertThat(scale.at(scale.first())).isZero();
    assertThat(scale.ticks()).hasSizeBetween(2, 8).isSorted();
  }

  @Test
  void decadesAreOfOneHeight() {
    Scale scale = Scale.logarithmic(new double[] {1}, new double[] {10_000});
    assertThat(scale.ticks()).containsExactly(1.0, 10.0, 100.0, 1000.0, 10_000.0);
    assertThat(scale.at(100)).isCloseTo(0.5, within(1e-9));
  }
}
