package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowCarrierRuleTest {
  private static final long HOLD_S = TimeUnit.NANOSECONDS.toSeconds(SlowCarrierRule.FIRST_HOLD_NS);

  /** The kernel does not tell. */
  private static final long UNKNOWN = -1;

  private final SlowCarrierRule rule = new SlowCarrierRule();

  private static long us(long micros) {
    return TimeUnit.MICROSECONDS.toNanos(micros);
  }

  private static long s(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  /** All in microseconds. */
  @ParameterizedTest(name = "answers {0}, medium {1}, TCP {2}: leaves {3}, stays away {4}")
  @CsvSource({
    // What a healthy fabric shows.
    "  4,     3,     0, false, false",
    "499,  9000,     0, false, false",
    // The peer's program takes its time: TCP would be no help.
    "5000,    5,     0, false, false",
    "5000,  199,     0, false, false",
    // Not measured: not RDMA.
    "5000,   -1,     0, false, false",
    // The fabric is slow: what is TCP's time?
    "3000,  900,  2500,  true, false",
    "3000,  900,  2400,  true, false",
    "3000,  900,  2399,  true,  true",
    "12000, 900,  600,   true,  true",
    "500,   200,  100,   true,  true",
    "500,   200,  500,   true, false",
  })
  void streamsLeaveOnTrialAndStayAwayWhereTcpIsFaster(
      long ring, long medium, long tcp, boolean leaves, boolean staysAway) {
    assertThat(rule.leaves(us(ring), us(medium), UNKNOWN, s(1))).isEqualTo(leaves);
    assertThat(rule.isAway(s(2))).as("on trial").isEqualTo(leaves);
    rule.overTcp(us(tcp), s(3));
    assertThat(rule.isAway(s(4))).isEqualTo(staysAway);
  }

  /** All in microseconds; the kernel tells how long a round trip of TCP takes. */
  @ParameterizedTest(name = "answers {0}, medium {1}, TCP {2}, its answers {3}: {4}, {5}")
  @CsvSource({
    // A healthy fabric, however long the program takes.
    "   4,    3,   30,     0, false, false",
    " 400,    3,   30,     0, false, false",
    "5000,    5,   30,     0, false, false",
    // A reader that spins has seen the answer.
    " 100,   90,   30,     0, false, false",
    // Longer than the spin, over a medium that is slower than TCP: what are TCP's answers?
    " 101,   90,   30,    60,  true,  true",
    " 101,   90,   30,    81,  true, false",
    " 300,  150,   60,   200,  true,  true",
    " 300,  150,   60,   290,  true, false",
    // Not by enough to be worth a change.
    " 300,  150,  120,     0, false, false",
    " 300,  150,  119,   200,  true,  true",
    // TCP is as slow as the medium, and both are slow: what no healthy fabric has is still tried.
    "3000,  900, 2000,  2900,  true, false",
  })
  void aMediumIsComparedWithTheTcpConnectionWhereTheKernelTells(
      long ring, long medium, long tcp, long overTcp, boolean leaves, boolean staysAway) {
    assertThat(rule.leaves(us(ring), us(medium), us(tcp), s(1))).isEqualTo(leaves);
    rule.overTcp(us(overTcp), s(3));
    assertThat(rule.isAway(s(4))).isEqualTo(staysAway);
  }

  @Test
  void theyReturnAfterAWhileAndEachHoldIsTwiceAsLongUpToALimit() {
    long now = s(1);
    long hold = HOLD_S;
    for (int i = 0; i < 12; i++) {
      assertThat(rule.leaves(us(3000), us(900), UNKNOWN, now)).as("trial %d", i).isTrue();
      rule.overTcp(us(600), now + s(1));
      assertThat(rule.isAway(now + s(hold) - 1)).as("trial %d", i).isTrue();
      now += s(hold);
      assertThat(rule.isAway(now)).as("trial %d", i).isFalse();
      assertThat(rule.isIdle(now)).isTrue();
      hold = Math.min(2 * hold, TimeUnit.NANOSECONDS.toSeconds(SlowCarrierRule.LAST_HOLD_NS));
    }
  }

  @Test
  void aNeedlessTrialIsNotRepeatedAtOnce() {
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(1))).isTrue();
    rule.overTcp(us(3000), s(2));
    assertThat(rule.isAway(s(2))).isFalse();
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(3))).isFalse();
    assertThat(rule.isIdle(s(3))).isFalse();
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(1 + HOLD_S))).isTrue();
  }

  /** The first measurement decides; what comes later may be of another kind of work. */
  @Test
  void aTrialIsDecidedOnce() {
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(1))).isTrue();
    rule.overTcp(us(600), s(2));
    rule.overTcp(us(9000), s(3));
    assertThat(rule.isAway(s(4))).isTrue();
  }

  @Test
  void aStreamThatFallsSilentOnTrialReturnsAllTheSame() {
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(1))).isTrue();
    assertThat(rule.leaves(us(3000), us(900), UNKNOWN, s(2)))
        .as("another stream's answers")
        .isFalse();
    assertThat(rule.isAway(s(1 + HOLD_S))).isFalse();
  }
}
