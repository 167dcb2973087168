package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The rule by a clock that passes only while the spinner looks: no core has to be free for it. */
class SpinnerTest {
  private static final int MAX_NS = 20_000;

  /** A look takes so long; a yield takes none, as on a machine with a core for each thread. */
  private static final long LOOK_NS = 100;

  private static final int FREE_LOOKS = 48;
  private static final long MS = 1_000_000;

  private final HeldClock clock = new HeldClock();
  private int looks;

  private Spinner spinner(int cores, int maxNs) {
    return new Spinner(new LoadSensor(cores, clock), maxNs, clock);
  }

  private boolean never() {
    looks++;
    clock.passes(LOOK_NS);
    return false;
  }

  /** How many times a spinner looks in vain now. */
  private int looksInVain(Spinner spinner) throws IOException {
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
    assertThat(looksInVain(spinner(4, MAX_NS)))
        .isBetween((int) (MAX_NS / LOOK_NS), (int) (MAX_NS / LOOK_NS) + FREE_LOOKS + 20);
  }

  @Test
  void aBudgetOfZeroNeverLooks() throws IOException {
    assertThat(looksInVain(spinner(4, 0))).isZero();
  }

  @Test
  void oneCoreNeverLooks() throws IOException {
    assertThat(looksInVain(spinner(1, MAX_NS))).isZero();
  }

  @Test
  void aVirtualThreadLooksWithoutLeavingItsCarrier() throws Exception {
    LoadSensor sensor = new LoadSensor(4, clock);
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
    assertThat(looks).isGreaterThan(FREE_LOOKS);
    assertThat(sensor.contended()).as("no yield was timed").isFalse();
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
  void spinningInVainStopsAfterEightTimes() throws IOException {
    Spinner spinner = spinner(4, MAX_NS);
    for (int i = 0; i < 8; i++) {
      assertThat(looksInVain(spinner)).as("spin %d", i).isPositive();
      spinner.slept();
    }
    assertThat(looksInVain(spinner)).isZero();
  }

  @Test
  void aRowOfShortSleepsStartsItAgain() throws IOException {
    Spinner spinner = inVain();
    for (int i = 0; i < SpinBudget.PROBE_AFTER; i++) {
      assertThat(looksInVain(spinner)).as("short sleep %d", i).isZero();
      clock.passes(4 * MAX_NS);
      spinner.slept();
    }
    assertThat(looksInVain(spinner)).as("one full spin").isGreaterThan((int) (MAX_NS / LOOK_NS));
  }

  @Test
  void sleepsThatAreNotShortDoNot() throws IOException {
    Spinner spinner = inVain();
    for (int i = 0; i < 2 * SpinBudget.MAX_PROBE_AFTER; i++) {
      assertThat(looksInVain(spinner)).isZero();
      clock.passes(4 * MAX_NS + 1);
      assertThat(spinner.slept()).isEqualTo(4 * MAX_NS + 1);
    }
  }

  /** A spinner that has learnt not to spin. */
  private Spinner inVain() throws IOException {
    Spinner spinner = spinner(4, MAX_NS);
    boolean looked;
    do {
      looked = looksInVain(spinner) > 0;
      clock.passes(4 * MAX_NS + 1);
      spinner.slept(); // long, so the row of short ones has not begun
    } while (looked);
    return spinner;
  }

  @Test
  void aSparseCallerLooksForAMomentOnly() throws IOException {
    int max = (int) (50 * MS);
    Spinner spinner = spinner(4, max);
    int first = looksInVain(spinner);
    assertThat(first).isGreaterThan((int) (max / LOOK_NS));
    spinner.slept();
    clock.passes(2 * MS);
    assertThat(looksInVain(spinner)).isLessThan((int) (15_000 / LOOK_NS) + FREE_LOOKS + 20);
  }

  @Test
  void whoWasCaughtWhileArmingIsNoSparseCaller() throws IOException {
    int max = (int) (50 * MS);
    Spinner spinner = spinner(4, max);
    looksInVain(spinner);
    spinner.slept();
    clock.passes(2 * MS); // sparse now
    looksInVain(spinner);
    spinner.caught();
    long start = clock.now();
    assertThat(spinner.spin(() -> never() || clock.now() - start > 2 * MS))
        .as("longer than a sparse caller may look")
        .isTrue();
  }
}
