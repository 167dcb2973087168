package org.slipstream.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LetteringTest {
  @Test
  void longLinesAreBrokenBetweenWords() {
    String text = "one two three four five six seven eight nine ten";
    assertThat(Lettering.lines(text, 10, 120))
        .hasSizeGreaterThan(2)
        .allMatch(line -> Lettering.width(line, 10) <= 120)
        .satisfies(lines -> assertThat(String.join(" ", lines)).isEqualTo(text));
  }

  @Test
  void aWordThatDoesNotFitLosesItsEnd() {
    assertThat(Lettering.lines("a " + "b".repeat(100), 10, 100))
        .hasSize(2)
        .allMatch(line -> Lettering.width(line, 10) <= 100)
        .last()
        .asString()
        .endsWith("b…");
    assertThat(Lettering.fit("short", 10, 100)).isEqualTo("short");
  }

  @Test
  void amountsAreShort() {
    assertThat(Amounts.tick(0.25)).isEqualTo("0.25");
    assertThat(Amounts.tick(0)).isEqualTo("0");
    assertThat(Amounts.tick(20)).isEqualTo("20");
    assertThat(Amounts.tick(5000)).isEqualTo("5 k");
    assertThat(Amounts.tick(2e6)).isEqualTo("2 M");
    assertThat(Amounts.tick(1e9)).isEqualTo("1 G");
    assertThat(Amounts.full(57.34)).isEqualTo("57.3");
    assertThat(Amounts.full(1234567.8)).isEqualTo("1,234,568");
    assertThat(Amounts.bytes(64)).isEqualTo("64 B");
    assertThat(Amounts.bytes(65536)).isEqualTo("64 KiB");
    assertThat(Amounts.bytes(1 << 20)).isEqualTo("1 MiB");
  }
}
