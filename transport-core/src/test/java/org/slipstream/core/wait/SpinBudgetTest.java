package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinBudgetTest {
  private static final int MAX = 100_000;
  private static final long LONG = (long) SpinBudget.LONGEST_PROBE * MAX + 1;

  /** Two wake-ups of a quiet machine. */
  private static final long SHORT = 50_000;

  /** Two wake-ups of a busy host. */
  private static final long LATE = 400_000;

  private final SpinBudget budget = new SpinBudget(MAX);

  private void learnThatSpinningMisses() {
    while (budget.ns() > 0) {
      budget.miss();
      budget.slept(SHORT);
    }
  }

  /** How many short sleeps it takes until a full spin is tried. */
  private int sleepsUntilProbe() {
    int n = 0;
    while (budget.ns() == 0) {
      budget.slept(SHORT);
      n++;
    }
    assertThat(budget.ns()).isEqualTo(MAX);
    return n;
  }

  @Test
  void beginsWithAll() {
    assertThat(budget.ns()).isEqualTo(MAX);
  }

  @Test
  void eightMissesLeaveNothing() {
    int spins = 0;
    while (budget.ns() > 0) {
      budget.miss();
      spins++;
    }
    assertThat(spins).isEqualTo(8);
  }

  @Test
  void spinningGoesOnIfTwoOfThreeAreHits() {
    for (int i = 0; i < 1_000; i++) {
      budget.hit(false);
      budget.hit(false);
      budget.miss();
      assertThat(budget.ns()).isGreaterThan(MAX / 2);
    }
  }

  @Test
  void spinningEndsIfOneOfTwoIsAHit() {
    for (int i = 0; i < 100; i++) {
      budget.hit(false);
      budget.miss();
    }
    assertThat(budget.ns()).isZero();
  }

  @Test
  void aRowOfShortSleepsIsWorthAFullSpin() {
    learnThatSpinningMisses();
    budget.slept(LONG);
    assertThat(sleepsUntilProbe()).isEqualTo(SpinBudget.PROBE_AFTER);
  }

  @Test
  void oneLongSleepBreaksTheRow() {
    learnThatSpinningMisses();
    budget.slept(LONG);
    for (int i = 0; i < 100; i++) {
      for (int k = 0; k < SpinBudget.PROBE_AFTER - 1; k++) {
        budget.slept(SHORT);
      }
      budget.slept(LONG);
    }
    assertThat(budget.ns()).isZero();
  }

  @Test
  void probesThatFailGetRarerAndOneThatSucceedsBringsAllBack() {
    learnThatSpinningMisses();
    budget.slept(LONG);
    int expected = SpinBudget.PROBE_AFTER;
    for (int i = 0; i < 10; i++) {
      assertThat(sleepsUntilProbe()).isEqualTo(expected);
      budget.miss();
      assertThat(budget.ns()).as("one spin and no more").isZero();
      expected = Math.min(SpinBudget.MAX_PROBE_AFTER, 2 * expected);
    }
    sleepsUntilProbe();
    budget.hit(false);
    assertThat(budget.ns()).isEqualTo(MAX);
    learnThatSpinningMisses();
    budget.slept(LONG);
    assertThat(sleepsUntilProbe()).isEqualTo(SpinBudget.PROBE_AFTER);
  }

  @Test
  void aMaximumOfZeroNeverProbes() {
    SpinBudget none = new SpinBudget(0);
    for (int i = 0; i < 100; i++) {
      none.slept(0);
    }
    assertThat(none.ns()).isZero();
  }

  /** Sleeps until a probe comes; both ends sleep, and a wake-up takes longer than the maximum. */
  private void probeForLateAnswers() {
    learnThatSpinningMisses();
    budget.slept(LONG);
    while (budget.ns() == 0) {
      budget.slept(LATE);
    }
  }

  @Test
  void aProbeIsAsLongAsTheWaitsOfTwoEndsThatSleep() {
    probeForLateAnswers();
    assertThat(budget.ns()).isEqualTo((int) LATE);
  }

  @Test
  void aLateHitKeepsThisEndAwakeUntilThePeerIsToo() {
    probeForLateAnswers();
    for (int i = 0; i < SpinBudget.TRIAL; i++) {
      budget.hit(true);
      assertThat(budget.ns()).as("after %d late answers", i + 1).isEqualTo((int) LATE);
    }
    budget.hit(false);
    assertThat(budget.ns()).isEqualTo(MAX);
    learnThatSpinningMisses();
    assertThat(sleepsUntilProbe()).as("forgiven").isLessThanOrEqualTo(SpinBudget.PROBE_AFTER);
  }

  @Test
  void aPeerThatComputesForSoLongIsSleptFor() {
    probeForLateAnswers();
    int expected = SpinBudget.PROBE_AFTER;
    for (int k = 0; k < 10; k++) {
      for (int i = 0; i < 1 + SpinBudget.TRIAL; i++) {
        assertThat(budget.ns()).isEqualTo((int) LATE);
        budget.hit(true);
      }
      assertThat(budget.ns()).as("the trial is over").isZero();
      expected = Math.min(SpinBudget.MAX_PROBE_AFTER, 2 * expected);
      int n = 0;
      while (budget.ns() == 0) {
        budget.slept(LATE);
        n++;
      }
      assertThat(n).as("short sleeps before probe %d", k).isEqualTo(expected);
    }
  }

  @Test
  void aMissEndsATrial() {
    probeForLateAnswers();
    budget.hit(true);
    budget.miss();
    assertThat(budget.ns()).isZero();
  }
}
