package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When waiters that do not spin yield, by what became of the yields before. */
class TurnsTest {
  private static final long SHORT = 10_000;
  private static final long SLICE = 3_000_000;

  private final Turns turns = new Turns(0);
  private long now;

  /** How many waits sleep at once before one yields. */
  private int asleep(long waitNs) {
    int waits = 0;
    while (!turns.areWorthIt()) {
      turns.slept(waitNs);
      waits++;
    }
    return waits;
  }

  private void took(boolean met, long nanos) {
    now += nanos;
    turns.taken(met, nanos, now);
  }

  /** How many waits yield, of those that do the same, until one sleeps. */
  private int yields(boolean met, long nanos, int most) {
    int waits = 1; // the one that was asked about
    took(met, nanos);
    while (waits < most && turns.areWorthIt()) {
      waits++;
      took(met, nanos);
    }
    return waits;
  }

  @Test
  void aFailedTrialDoublesTheGapUntilTheNext() {
    int gap = Turns.FIRST_GAP;
    assertThat(asleep(SHORT)).isEqualTo(gap - 1);
    for (int i = 0; i < 10; i++) {
      assertThat(yields(false, SHORT, Integer.MAX_VALUE)).as("trial %d", i).isEqualTo(Turns.TRIAL);
      assertThat(asleep(SHORT)).as("gap %d", i).isEqualTo(gap - 2);
      gap = Math.min(2 * gap, Turns.LONGEST_GAP);
    }
    assertThat(gap).isEqualTo(Turns.LONGEST_GAP);
  }

  @Test
  void oneHitOfFourIsEnough() {
    asleep(SHORT);
    for (int i = 0; i < 10 * Turns.TRIAL; i++) {
      took(i % 4 == 0, SHORT);
      assertThat(turns.areWorthIt()).as("wait %d", i).isTrue();
    }
  }

  @Test
  void oneOfFiveIsNot() {
    asleep(SHORT);
    int waits = 1;
    took(false, SHORT);
    while (turns.areWorthIt()) {
      took(waits++ % 5 == 0, SHORT);
      assertThat(waits).isLessThan(6 * Turns.TRIAL);
    }
  }

  @Test
  void turnsThatGiveATimeSliceAwayEndItSoonAlthoughTheyAreHits() {
    asleep(SHORT);
    assertThat(yields(true, SLICE, Integer.MAX_VALUE)).isEqualTo(8);
  }

  @Test
  void aSliceThatDelaysAllThreadsCountsOnce() {
    asleep(SHORT);
    now += SLICE;
    for (int thread = 0; thread < 100; thread++) {
      turns.taken(true, SLICE, now + thread * SHORT);
    }
    assertThat(turns.areWorthIt()).isTrue();
  }

  @Test
  void whereSleepersWaitForLongTurnsMayBeLong() {
    asleep(2 * SLICE);
    assertThat(yields(true, SLICE, Turns.TRIAL)).isEqualTo(Turns.TRIAL);
  }

  @Test
  void waitsThatYieldSayNothingOfThoseThatSleep() {
    asleep(SHORT);
    for (int i = 0; i < Turns.TRIAL / 2; i++) {
      took(true, SHORT);
      turns.slept(2 * SLICE);
    }
    took(true, SLICE);
    assertThat(yields(true, SLICE, Integer.MAX_VALUE)).isLessThan(Turns.TRIAL);
  }

  @Test
  void aRoundOfYieldsEndsWithAComparison() {
    asleep(SHORT);
    assertThat(yields(true, SHORT, Integer.MAX_VALUE)).isEqualTo(Turns.ROUND - 1);
    assertThat(asleep(SHORT)).isEqualTo(Turns.COMPARED - 1);
    assertThat(turns.areWorthIt()).isTrue();
  }

  @Test
  void theNextTrialAfterASuccessIsNotPutOff() {
    asleep(SHORT);
    yields(false, SHORT, Integer.MAX_VALUE);
    asleep(SHORT);
    yields(true, SHORT, Turns.TRIAL);
    yields(false, SHORT, Integer.MAX_VALUE);
    assertThat(asleep(SHORT)).isEqualTo(Turns.FIRST_GAP - 2);
  }
}
