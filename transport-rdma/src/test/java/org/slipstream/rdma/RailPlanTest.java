package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which way to a peer is connected next, and when a failed one is tried again. */
class RailPlanTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Way A = way(1);
  private static final Way B = way(2);
  private static final Way C = way(3);

  private long now = Long.MAX_VALUE - 3 * SECOND; // it may pass the end of numbers

  private static Way way(int net) {
    return new Way(
        InetAddress.ofLiteral("10.0." + net + ".4"),
        new InetSocketAddress("10.0." + net + ".8", 7000));
  }

  private RailPlan plan(int most, Way... ways) {
    return new RailPlan(List.of(ways), most, now);
  }

  @Test
  void theSecondWayIsConnectedASecondAfterTheFirst() {
    RailPlan plan = plan(2, A, B);
    assertThat(plan.next(now)).isNull();
    assertThat(plan.delay(now)).isEqualTo(SECOND);
    now += SECOND;
    assertThat(plan.delay(now)).isZero();
    assertThat(plan.next(now)).isEqualTo(B);
    assertThat(plan.next(now)).as("it is asked").isNull();
    assertThat(plan.delay(now)).isEqualTo(RailPlan.NEVER);
    plan.connected(B);
    assertThat(plan.delay(now)).isEqualTo(RailPlan.NEVER);
  }

  @Test
  void aWayThatFailsIsTriedEverMoreRarely() {
    RailPlan plan = plan(2, A, B);
    now += SECOND;
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(plan.next(now)).isEqualTo(B);
      plan.down(B, now);
      plan.down(B, now);
      assertThat(plan.delay(now)).as("said twice, counted once").isEqualTo(seconds * SECOND);
      assertThat(plan.next(now + plan.delay(now) - 1)).isNull();
      now += plan.delay(now);
    }
    assertThat(plan.next(now)).isEqualTo(B);
    plan.connected(B);
    plan.down(B, now);
    assertThat(plan.delay(now)).as("it has worked meanwhile").isEqualTo(SECOND);
  }

  @Test
  void aPortThatIsActiveAgainIsTriedAtOnce() {
    RailPlan plan = plan(2, A, B);
    now += SECOND;
    for (int i = 0; i < 5; i++) {
      assertThat(plan.next(now)).isEqualTo(B);
      plan.down(B, now);
      now += plan.delay(now);
    }
    assertThat(plan.next(now)).isEqualTo(B);
    plan.down(B, now);
    plan.portActive(now);
    assertThat(plan.delay(now)).isZero();
    assertThat(plan.next(now)).isEqualTo(B);
    plan.down(B, now);
    assertThat(plan.delay(now)).isEqualTo(SECOND);
  }

  /** The others go on meanwhile. */
  @Test
  void theFirstWayComesBackToo() {
    RailPlan plan = plan(2, A, B);
    now += SECOND;
    assertThat(plan.next(now)).isEqualTo(B);
    plan.connected(B);
    plan.down(A, now);
    assertThat(plan.next(now)).isNull();
    now += SECOND;
    assertThat(plan.next(now)).isEqualTo(A);
  }

  @Test
  void oneInReserveIsEnoughAndAThirdWayTakesItsPlace() {
    RailPlan plan = plan(2, A, B, C);
    now += SECOND;
    assertThat(plan.next(now)).isEqualTo(B);
    assertThat(plan.next(now)).isNull();
    plan.connected(B);
    plan.down(A, now);
    assertThat(plan.next(now)).as("it was due before").isEqualTo(C);
    plan.down(C, now);
    now += SECOND;
    assertThat(plan.next(now)).as("in the order of preference").isEqualTo(A);
  }

  @Test
  void allWaysAreConnectedIfAllAreWanted() {
    RailPlan plan = plan(4, A, B, C);
    now += SECOND;
    assertThat(plan.next(now)).isEqualTo(B);
    assertThat(plan.next(now)).isEqualTo(C);
    assertThat(plan.next(now)).isNull();
    assertThat(plan.rank(A)).isZero();
    assertThat(plan.rank(C)).isEqualTo(2);
  }
}
