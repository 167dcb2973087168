package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OverflowRuleTest {
  private static final long MS = 1_000_000;
  private static final long GOOD = 1 << 20;

  private final OverflowRule rule = new OverflowRule();

  @Test
  void aDirectionThatOverflowedOnceReturnsAtOnce() {
    rule.overflowed(GOOD, 5 * MS);
    assertThat(rule.mayReturn(5 * MS)).isTrue();
    rule.overflowed(100, 6 * MS);
    assertThat(rule.mayReturn(6 * MS)).isTrue();
  }

  @Test
  void returnsInVainBecomeRare() {
    for (int i = 0; i < 2; i++) {
      rule.overflowed(100, 0);
    }
    assertThat(rule.mayReturn(40 * MS)).isFalse();
    assertThat(rule.mayReturn(41 * MS)).isTrue();
    for (int i = 0; i < 10; i++) {
      rule.overflowed(100, 0);
    }
    assertThat(rule.mayReturn(160 * MS)).isFalse();
    assertThat(rule.mayReturn(161 * MS)).isTrue();
  }

  @Test
  void aEpochThatWasWorthItMakesUpForAll() {
    for (int i = 0; i < 10; i++) {
      rule.overflowed(100, 0);
    }
    rule.overflowed(GOOD, 0);
    assertThat(rule.mayReturn(0)).isTrue();
    assertThat(rule.grace(false)).isEqualTo(100 * MS);
  }

  @Test
  void aPeerThatIsNotAtMarkYetGetsMoreTime() {
    assertThat(rule.grace(true)).isEqualTo(20 * MS);
    assertThat(rule.grace(false)).isEqualTo(100 * MS);
    for (int i = 0; i < 10; i++) {
      rule.overflowed(100, 0);
    }
    assertThat(rule.grace(true)).isEqualTo(20 * MS);
    assertThat(rule.grace(false)).isEqualTo(800 * MS);
  }

  /** The ring never empties while it is full: each epoch ends after the grace period. */
  @Test
  void aPeerThatIsAlwaysBehindCostsAnEighthOfTheTimeAtMost() {
    long now = 0;
    long waited = 0;
    for (int epoch = 0; epoch < 100; epoch++) {
      now += rule.grace(true);
      waited += rule.grace(true);
      rule.overflowed(100, now);
      while (!rule.mayReturn(now)) {
        now += MS;
      }
    }
    assertThat(waited).isLessThan(now / 8);
  }
}
