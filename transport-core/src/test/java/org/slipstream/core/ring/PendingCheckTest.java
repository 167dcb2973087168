package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often a reader that polls looks at bytes that do not come. */
class PendingCheckTest {
  private final PendingCheck pending = new PendingCheck();

  @Test
  void theSameWordIsLookedAtAgainSoonAndThenSeldom() {
    int looks = 0;
    for (long now = 0; now < 100_000_000; now += 500) {
      if (looks == 0 || !pending.isFreshAt(now)) {
        pending.raise(7, now);
        assertThat(pending.nanos()).isEqualTo(1 + now);
        looks++;
      }
    }
    assertThat(looks).as("in 100 ms, where a poll is every 500 ns").isBetween(100, 120);
  }

  @Test
  void anotherWordIsLookedAtAtOnce() {
    pending.raise(7, 1_000);
    pending.raise(7, 101_000);
    assertThat(pending.isFresh(8)).isFalse();
    assertThat(pending.isLasting(8)).isFalse();
    pending.raise(8, 102_000);
    assertThat(pending.isLastingAt(103_000)).as("for this word").isFalse();
    assertThat(pending.nanos()).as("since a checksum matched").isEqualTo(101_001);
  }

  @Test
  void itLastsFromItsFirstMoment() {
    pending.raise(7, 1_000);
    pending.raise(7, 40_000);
    assertThat(pending.isLastingAt(50_000)).isFalse();
    assertThat(pending.isLastingAt(51_000)).isTrue();
  }

  @Test
  void itIsOverWhenTheSumIsRight() {
    assertThat(pending.settle()).isFalse();
    pending.raise(7);
    assertThat(pending.settle()).isTrue();
    assertThat(pending.isFresh(7)).isFalse();
    assertThat(pending.isLasting(7)).isFalse();
    assertThat(pending.nanos()).isZero();
  }
}
