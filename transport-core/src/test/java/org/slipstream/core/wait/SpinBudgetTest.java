package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinBudgetTest {
  private static final int MAX = 100_000;

  private final SpinBudget budget = new SpinBudget(MAX);

  private void learnThatSpinningMisses() {
    while (budget.ns() > 0) {
      budget.miss();
      budget.slept(true);
    }
  }

  /** How many short sleeps it takes until a full spin is tried. */
  private int sleepsUntilProbe() {
    int n = 0;
    while (budget.ns() == 0) {
      budget.slept(true);
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
      budget.hit();
      budget.hit();
      budget.miss();
      assertThat(budget.ns()).isGreaterThan(MAX / 2);
    }
  }

  @Test
  void spinningEndsIfOneOfTwoIsAHit() {
    for (int i = 0; i < 100; i++) {
      budget.hit();
      budget.miss();
    }
    assertThat(budget.ns()).isZero();
  }

  @Test
  void aRowOfShortSleepsIsWorthAFullSpin() {
    learnThatSpinningMisses();
    budget.slept(false);
    assertThat(sleepsUntilProbe()).isEqualTo(SpinBudget.PROBE_AFTER);
  }

  @Test
  void oneLongSleepBreaksTheRow() {
    learnThatSpinningMisses();
    budget.slept(false);
    for (int i = 0; i < 100; i++) {
      for (int k = 0; k < SpinBudget.PROBE_AFTER - 1; k++) {
        budget.slept(true);
      }
      budget.slept(false);
    }
    assertThat(budget.ns()).isZero();
  }

  @Test
  void probesThatFailGetRarerAndOneThatSucceedsBringsAllBack() {
    learnThatSpinningMisses();
    budget.slept(false);
    int expected = SpinBudget.PROBE_AFTER;
    for (int i = 0; i < 10; i++) {
      assertThat(sleepsUntilProbe()).isEqualTo(expected);
      budget.miss();
      assertThat(budget.ns()).as("one spin and no more").isZero();
      expected = Math.min(SpinBudget.MAX_PROBE_AFTER, 2 * expected);
    }
    sleepsUntilProbe();
    budget.hit();
    assertThat(budget.ns()).isEqualTo(MAX);
    learnThatSpinningMisses();
    budget.slept(false);
    assertThat(sleepsUntilProbe()).isEqualTo(SpinBudget.PROBE_AFTER);
  }

  @Test
  void whoMayNotSpinNeverProbes() {
    SpinBudget none = new SpinBudget(0);
    for (int i = 0; i < 100; i++) {
      none.slept(true);
    }
    assertThat(none.ns()).isZero();
  }
}
