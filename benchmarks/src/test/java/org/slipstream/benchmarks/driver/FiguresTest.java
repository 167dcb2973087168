package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void showsThreeDigitsThatMeanSomething() {
    assertThat(Figures.digits(0.123)).isEqualTo("0.12");
    assertThat(Figures.digits(9.96)).isEqualTo("10.0");
    assertThat(Figures.digits(12.34)).isEqualTo("12.3");
    assertThat(Figures.digits(117.6)).isEqualTo("118");
    assertThat(Figures.ratio(Double.NaN)).isEqualTo("-");
    assertThat(Figures.ratio(1)).isEqualTo("1.00x");
    assertThat(Figures.percent(0.0042)).isEqualTo("0.42 %");
    assertThat(Figures.micros(19_500)).isEqualTo("19.5");
    assertThat(Figures.count(1_234_567.8)).isEqualTo("1,234,568");
  }

  @Test
  void namesSizes() {
    assertThat(Figures.size(64)).isEqualTo("64 B");
    assertThat(Figures.size(1024)).isEqualTo("1 KiB");
    assertThat(Figures.size(1500)).isEqualTo("1500 B");
    assertThat(Figures.size(1 << 20)).isEqualTo("1 MiB");
  }
}
