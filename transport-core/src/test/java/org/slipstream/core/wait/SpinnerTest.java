package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** The rule by a clock that passes only while the spinner looks: no core has to be free for it. */
class SpinnerTest {
  private static final int MAX_NS = 20_000;

  /** A look takes so long; a yield takes none, as on a machine with a core for each thread. */
  private static final long POLL_NS = 100;

  private static final int FREE_POLLS = 48;
  private static final long MS = 1_000_000;

  private final HeldClock clock = new HeldClock();
  private int looks;

  private Spinner spinner(int cores, int maxNs) {
    return new Spinner(new LoadSensor(cores, () -> {}, clock), maxNs, clock);
  }

  private boolean never() {
    looks++;
    clock.passes(POLL_NS);
    return false;
  }

  /** How many times a spinner polls without a hit now. */
  private int misses(Spinner spinner) throws IOException {
    looks = 0;
    assertThat(spinner.spin(this::never)).isFalse();
    return looks;
  }

  @Test
  void aConditionThatHoldsIsSeenAtTheFirstLook() throws IOException {
    assertThat(
            spinner(4, MAX_NS)
                .spin(() -> {
                  looks++;
                  return true;
                }))
        .isTrue();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aConditionThatNeverHoldsIsGivenUpAfterTheBudget() throws IOException {
    assertThat(misses(spinner(4, MAX_NS)))
        .isBetween((int) (MAX_NS / POLL_NS), (int) (MAX_NS / POLL_NS) + FREE_POLLS + 20);
  }

  @Test
  void aBudgetOfZeroNeverLooks() throws IOException {
    Spinner spinner = spinner(4, 0);
    for (int i = 0; i < 2 * Turns.FIRST_GAP; i++) {
      assertThat(misses(spinner)).isZero();
    }
  }

  @Test
  void oneCoreNeverSpins() throws IOException {
    assertThat(misses(spinner(1, MAX_NS))).isZero();
  }

  @Test
  void aWaiterThatDoesNotSpinLooksOnceBehindAYieldIfThatIsWorthIt() throws IOException {
    Spinner spinner = spinner(1, MAX_NS);
    for (int i = 1; i < Turns.FIRST_GAP; i++) {
      assertThat(misses(spinner)).as("wait %d", i).isZero();
      spinner.slept();
    }
    assertThat(misses(spinner)).as("a trial").isOne();
    spinner.slept();
    assertThat(spinner.spin(() -> true)).as("a hit").isTrue();
    assertThat(spinner.spins()).isOne();
  }

  @Test
  void aVirtualThreadDoesNotYield() throws Exception {
    Spinner spinner = spinner(1, MAX_NS);
    FutureTask<Integer> waits =
        new FutureTask<>(() -> {
          int all = 0;
          for (int i = 0; i < 2 * Turns.FIRST_GAP; i++) {
            all += misses(spinner);
          }
          return all;
        });
    Thread.ofVirtual().start(waits);
    assertThat(waits.get()).isZero();
  }

  @Test
  void aVirtualThreadLooksWithoutLeavingItsCarrier() throws Exception {
    LoadSensor sensor = new LoadSensor(4, () -> {}, clock);
    Spinner spinner = new Spinner(sensor, MAX_NS, clock);
    Thread.ofVirtual()
        .start(() -> {
          try {
            spinner.spin(() -> {
              clock.passes(3_000); // a yield that took so long would say that cores are short
              return never();
            });
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        })
        .join();
    assertThat(looks).isGreaterThan(FREE_POLLS);
    assertThat(sensor.contended()).as("no yield was timed").isFalse();
  }

  @Test
  void virtualThreadsKeepHalfOfTheCarriersAtMost() throws Exception {
    LoadSensor sensor = new LoadSensor(4, () -> {}, clock);
    assertThat(sensor.tryOccupyCarrier()).isTrue();
    assertThat(missesOfAVirtualThread(sensor)).as("the second one").isGreaterThan(2 * FREE_POLLS);
    assertThat(sensor.tryOccupyCarrier()).isTrue();
    assertThat(missesOfAVirtualThread(sensor)).as("the third one").isLessThan(2 * FREE_POLLS);
    sensor.releaseCarrier();
    assertThat(missesOfAVirtualThread(sensor)).as("again").isGreaterThan(2 * FREE_POLLS);
  }

  private int missesOfAVirtualThread(LoadSensor sensor) throws Exception {
    FutureTask<Integer> spin = new FutureTask<>(() -> misses(new Spinner(sensor, MAX_NS, clock)));
    Thread.ofVirtual().start(spin);
    return spin.get();
  }

  @Test
  void whatTheConditionThrowsComesOut() {
    Spinner spinner = spinner(4, MAX_NS);
    assertThatThrownBy(() ->
            spinner.spin(() -> {
              throw new IOException("gone");
            }))
        .isInstanceOf(IOException.class)
        .hasMessage("gone");
  }

  @Test
  void spinningStopsAfterEightMisses() throws IOException {
    Spinner spinner = spinner(4, MAX_NS);
    for (int i = 0; i < 8; i++) {
      assertThat(misses(spinner)).as("spin %d", i).isPositive();
      spinner.slept();
    }
    assertThat(misses(spinner)).isZero();
  }

  @Test
  void aRowOfShortSleepsStartsItAgain() throws IOException {
    Spinner spinner = missing();
    for (int i = 0; i < SpinBudget.PROBE_AFTER; i++) {
      assertThat(misses(spinner)).as("short sleep %d", i).isZero();
      clock.passes(4 * MAX_NS);
      spinner.slept();
    }
    assertThat(misses(spinner))
        .as("one spin as long as the sleeps")
        .isGreaterThan((int) (4 * MAX_NS / POLL_NS));
    spinner.slept();
    assertThat(misses(spinner)).as("and no more").isZero();
  }

  @Test
  void sleepsThatAreNotShortDoNot() throws IOException {
    Spinner spinner = missing();
    for (int i = 0; i < 2 * SpinBudget.MAX_PROBE_AFTER; i++) {
      assertThat(misses(spinner)).isZero();
      clock.passes(SpinBudget.LONGEST_PROBE * MAX_NS + 1);
      assertThat(spinner.slept()).isEqualTo(SpinBudget.LONGEST_PROBE * MAX_NS + 1);
    }
  }

  /** A spinner that has learnt not to spin. */
  private Spinner missing() throws IOException {
    Spinner spinner = spinner(4, MAX_NS);
    boolean looked;
    do {
      looked = misses(spinner) > 0;
      clock.passes(SpinBudget.LONGEST_PROBE * MAX_NS + 1);
      spinner.slept(); // long, so the row of short ones has not begun
    } while (looked);
    return spinner;
  }

  @Test
  void aSparseCallerLooksForAMomentOnly() throws IOException {
    int max = (int) (50 * MS);
    Spinner spinner = spinner(4, max);
    int first = misses(spinner);
    assertThat(first).isGreaterThan((int) (max / POLL_NS));
    spinner.slept();
    clock.passes(2 * MS);
    assertThat(misses(spinner)).isLessThan((int) (15_000 / POLL_NS) + FREE_POLLS + 20);
  }

  @Test
  void aReaderThatWasCaughtWhileArmingIsNoSparseCaller() throws IOException {
    int max = (int) (50 * MS);
    Spinner spinner = spinner(4, max);
    misses(spinner);
    spinner.slept();
    clock.passes(2 * MS); // sparse now
    misses(spinner);
    spinner.caught();
    long start = clock.now();
    assertThat(spinner.spin(() -> never() || clock.now() - start > 2 * MS))
        .as("longer than a sparse caller may look")
        .isTrue();
  }
}
