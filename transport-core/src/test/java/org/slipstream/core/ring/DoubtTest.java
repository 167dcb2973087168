package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often a reader that polls looks at bytes that do not come. */
class DoubtTest {
  private final Doubt doubt = new Doubt();

  @Test
  void theSameWordIsLookedAtAgainSoonAndThenSeldom() {
    int looks = 0;
    for (long now = 0; now < 100_000_000; now += 500) {
      if (looks == 0 || !doubt.isFreshAt(now)) {
        doubt.raise(7, now);
        assertThat(doubt.nanos()).isEqualTo(1 + now);
        looks++;
      }
    }
    assertThat(looks).as("in 100 ms, where a poll is every 500 ns").isBetween(100, 120);
  }

  @Test
  void anotherWordIsLookedAtAtOnce() {
    doubt.raise(7, 1_000);
    doubt.raise(7, 101_000);
    assertThat(doubt.isFresh(8)).isFalse();
    assertThat(doubt.isLasting(8)).isFalse();
    doubt.raise(8, 102_000);
    assertThat(doubt.isLastingAt(103_000)).as("for this word").isFalse();
    assertThat(doubt.nanos()).as("since something proved itself").isEqualTo(101_001);
  }

  @Test
  void itLastsFromItsFirstMoment() {
    doubt.raise(7, 1_000);
    doubt.raise(7, 40_000);
    assertThat(doubt.isLastingAt(50_000)).isFalse();
    assertThat(doubt.isLastingAt(51_000)).isTrue();
  }

  @Test
  void itIsOverWhenTheSumIsRight() {
    assertThat(doubt.settle()).isFalse();
    doubt.raise(7);
    assertThat(doubt.settle()).isTrue();
    assertThat(doubt.isFresh(7)).isFalse();
    assertThat(doubt.isLasting(7)).isFalse();
    assertThat(doubt.nanos()).isZero();
  }
}
