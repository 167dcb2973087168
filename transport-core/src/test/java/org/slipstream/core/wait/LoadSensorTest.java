package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadSensorTest {
  private static final long SHORT = 500;
  private static final long BUSY = 10_000;
  private static final long LONG = 500_000;
  private static final long MS = 1_000_000;

  private final HeldClock clock = new HeldClock();
  private final LoadSensor sensor = new LoadSensor(4, clock);

  /** How long no wait may spin, from a time on, in milliseconds. */
  private int pauseFrom(long now) {
    int ms = 0;
    while (!sensor.maySpinAt(now + ms * MS)) {
      ms++;
    }
    return ms;
  }

  @Test
  void oneCoreNeverSpins() {
    LoadSensor one = new LoadSensor(1, clock);
    for (int i = 0; i < 100; i++) {
      assertThat(one.maySpin()).isFalse();
    }
  }

  @Test
  void anIdleMachineSpins() {
    assertThat(sensor.maySpin()).isTrue();
    assertThat(sensor.yielded(SHORT, 0)).isTrue();
    assertThat(sensor.contended()).isFalse();
  }

  @Test
  void busyYieldsInARowMeanThatCoresAreShortAndManyShortOnesThatTheyAreNotAnyMore() {
    sensor.yielded(BUSY, 0);
    assertThat(sensor.contended()).as("one may be an interrupt").isFalse();
    for (int i = 0; i < 100; i++) {
      assertThat(sensor.yielded(BUSY, i)).isTrue();
      assertThat(sensor.contended()).isTrue();
    }
    for (int i = 0; i < 31; i++) {
      sensor.yielded(SHORT, i);
      assertThat(sensor.contended()).as("after %d short yields", i + 1).isTrue();
    }
    sensor.yielded(SHORT, 32);
    assertThat(sensor.contended()).isFalse();
  }

  @Test
  void aBusyYieldPutsOffTheEnd() {
    sensor.yielded(BUSY, 0);
    sensor.yielded(BUSY, 1);
    for (int i = 0; i < 7; i++) {
      sensor.yielded(SHORT, i);
    }
    sensor.yielded(BUSY, 40);
    for (int i = 0; i < 4; i++) {
      assertThat(sensor.contended()).isTrue();
      sensor.yielded(SHORT, i);
    }
    assertThat(sensor.contended()).as("its weight is four").isTrue();
    sensor.yielded(SHORT, 50);
    assertThat(sensor.contended()).isFalse();
  }

  /** A host that takes cores away for moments, or interrupts. */
  @Test
  void busyYieldsAmongManyShortOnesAreNoShortageOfCores() {
    int contended = 0;
    for (int i = 0; i < 20_000; i++) {
      sensor.yielded(i % 20 == 0 ? BUSY : SHORT, i);
      contended += sensor.contended() ? 1 : 0;
    }
    assertThat(contended).isZero();
  }

  @Test
  void oneLongYieldStopsThisSpinOnly() {
    long now = clock.now() + 1_000 * MS;
    assertThat(sensor.yielded(LONG, now)).isFalse();
    assertThat(sensor.maySpin()).isTrue();
  }

  @Test
  void twoLongYieldsSoonAfterOneAnotherStopSpinningForAWhileAndLongerEachTime() {
    long now = clock.now() + 1_000 * MS;
    sensor.yielded(LONG, now);
    sensor.yielded(LONG, now + MS);
    assertThat(pauseFrom(now + MS)).isEqualTo(2);
    sensor.yielded(LONG, now + 4 * MS);
    assertThat(pauseFrom(now + 4 * MS)).isEqualTo(4);
    for (int i = 0; i < 64; i++) {
      sensor.succeeded();
    }
    sensor.yielded(LONG, now + 9 * MS);
    assertThat(pauseFrom(now + 9 * MS)).as("success shortens it").isEqualTo(4);
  }

  @Test
  void aPauseEndsThoughNoThreadWaits() {
    clock.passes(1_000 * MS);
    sensor.yielded(LONG, clock.now());
    clock.passes(MS);
    sensor.yielded(LONG, clock.now());
    assertThat(sensor.maySpin()).isFalse();
    clock.passes(2 * MS - 1);
    assertThat(sensor.maySpin()).isFalse();
    clock.passes(1);
    assertThat(sensor.maySpin()).isTrue();
  }

  @Test
  void thePauseHasAnUpperLimit() {
    long now = clock.now() + 1_000 * MS;
    int most = 0;
    for (int i = 0; i < 20; i++) {
      sensor.yielded(LONG, now + i * MS);
      most = Math.max(most, pauseFrom(now + i * MS));
    }
    assertThat(most).isEqualTo(128);
  }
}
