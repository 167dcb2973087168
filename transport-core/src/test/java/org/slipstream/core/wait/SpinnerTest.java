package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SpinnerTest {
  private static final int MAX_NS = 20_000;

  private int looks;

  private boolean never() {
    looks++;
    return false;
  }

  @Test
  void aConditionThatHoldsIsSeenAtTheFirstLook() throws IOException {
    Spinner spinner = new Spinner(new LoadSensor(4), MAX_NS);
    assertThat(
            spinner.spin(() -> {
              looks++;
              return true;
            }))
        .isTrue();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aConditionThatNeverHoldsIsGivenUp() throws IOException {
    Spinner spinner = new Spinner(new LoadSensor(4), MAX_NS);
    assertThat(spinner.spin(this::never)).isFalse();
    assertThat(looks).isGreaterThan(48);
  }

  @Test
  void aBudgetOfZeroNeverLooks() throws IOException {
    assertThat(new Spinner(new LoadSensor(4), 0).spin(this::never)).isFalse();
    assertThat(looks).isZero();
  }

  @Test
  void oneCoreNeverLooks() throws IOException {
    assertThat(new Spinner(new LoadSensor(1), MAX_NS).spin(this::never)).isFalse();
    assertThat(looks).isZero();
  }

  @Test
  void aVirtualThreadLooksWithoutLeavingItsCarrier() throws Exception {
    LoadSensor sensor = new LoadSensor(4);
    Spinner spinner = new Spinner(sensor, MAX_NS);
    Thread.ofVirtual()
        .start(() -> {
          try {
            spinner.spin(this::never);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        })
        .join();
    assertThat(looks).isGreaterThan(48);
    assertThat(sensor.contended()).as("no yield was timed").isFalse();
  }

  @Test
  void whatTheConditionThrowsComesOut() {
    Spinner spinner = new Spinner(new LoadSensor(4), MAX_NS);
    assertThatThrownBy(() ->
            spinner.spin(() -> {
              throw new IOException("gone");
            }))
        .isInstanceOf(IOException.class)
        .hasMessage("gone");
  }

  @Test
  void spinningInVainStopsByAndByAndARowOfShortSleepsStartsItAgain() throws IOException {
    // Short sleeps are those of less than four times the longest spin: here, of any length.
    int max = 100_000_000;
    LoadSensor calm = new LoadSensor(4);
    Spinner spinner = new Spinner(calm, max);
    int spins = 0;
    int quiet = 0;
    boolean again = false;
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!again && System.nanoTime() < deadline) {
      looks = 0;
      assertThat(spinner.spin(this::giveUpSoon)).isFalse();
      if (looks > 0) {
        spins++;
        again = quiet > 0;
      } else {
        quiet++;
      }
      spinner.slept();
    }
    assertThat(spins).isPositive();
    assertThat(quiet).as("waits without a look").isPositive();
    assertThat(again).as("one full spin after a row of short sleeps").isTrue();
  }

  private boolean giveUpSoon() {
    looks++;
    return false;
  }

  /** On a virtual thread, which does not yield: neighbours of the test change nothing. */
  @Test
  void whoWasCaughtWhileArmingIsNoSparseCaller() throws Exception {
    int max = 50_000_000;
    Spinner spinner = new Spinner(new LoadSensor(4), max);
    boolean[] found = new boolean[1];
    Thread caller =
        Thread.ofVirtual()
            .start(() -> {
              try {
                spinner.spin(this::never);
                spinner.slept();
                LockSupport.parkNanos(2_000_000); // sparse now
                spinner.spin(this::never);
                spinner.caught();
                long start = System.nanoTime();
                found[0] = spinner.spin(() -> System.nanoTime() - start > 2_000_000);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    caller.join();
    assertThat(found[0]).as("longer than a sparse caller may look").isTrue();
  }
}
