package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.core.wait.ThreadSwitches.UNKNOWN;

import org.junit.jupiter.api.Test;

class LoadSensorTest {
  private static final long SHORT = 500;
  private static final long BUSY = 10_000;
  private static final long LONG = 500_000;
  private static final long MS = 1_000_000;

  private final HeldClock clock = new HeldClock();
  private int asked;
  private final LoadSensor sensor = new LoadSensor(4, () -> asked++, clock);

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
    LoadSensor one = new LoadSensor(1, () -> {}, clock);
    for (int i = 0; i < 100; i++) {
      assertThat(one.maySpin()).isFalse();
    }
  }

  @Test
  void anIdleMachineSpins() {
    assertThat(sensor.maySpin()).isTrue();
    assertThat(sensor.yielded(SHORT, 0, UNKNOWN)).isTrue();
    assertThat(sensor.contended()).isFalse();
  }

  @Test
  void busyYieldsInARowMeanThatCoresAreShortAndManyShortOnesThatTheyAreNotAnyMore() {
    sensor.yielded(BUSY, 0, UNKNOWN);
    assertThat(sensor.contended()).as("one may be an interrupt").isFalse();
    for (int i = 0; i < 100; i++) {
      assertThat(sensor.yielded(BUSY, i, UNKNOWN)).isTrue();
      assertThat(sensor.contended()).isTrue();
    }
    for (int i = 0; i < 31; i++) {
      sensor.yielded(SHORT, i, UNKNOWN);
      assertThat(sensor.contended()).as("after %d short yields", i + 1).isTrue();
    }
    sensor.yielded(SHORT, 32, UNKNOWN);
    assertThat(sensor.contended()).isFalse();
  }

  @Test
  void aBusyYieldPutsOffTheEnd() {
    sensor.yielded(BUSY, 0, UNKNOWN);
    sensor.yielded(BUSY, 1, UNKNOWN);
    for (int i = 0; i < 7; i++) {
      sensor.yielded(SHORT, i, UNKNOWN);
    }
    sensor.yielded(BUSY, 40, UNKNOWN);
    for (int i = 0; i < 4; i++) {
      assertThat(sensor.contended()).isTrue();
      sensor.yielded(SHORT, i, UNKNOWN);
    }
    assertThat(sensor.contended()).as("its weight is four").isTrue();
    sensor.yielded(SHORT, 50, UNKNOWN);
    assertThat(sensor.contended()).isFalse();
  }

  /** A host that takes cores away for moments, or interrupts. */
  @Test
  void busyYieldsAmongManyShortOnesAreNoShortageOfCores() {
    int contended = 0;
    for (int i = 0; i < 20_000; i++) {
      sensor.yielded(i % 20 == 0 ? BUSY : SHORT, i, UNKNOWN);
      contended += sensor.contended() ? 1 : 0;
    }
    assertThat(contended).isZero();
  }

  @Test
  void oneLongYieldStopsThisSpinOnly() {
    long now = clock.now() + 1_000 * MS;
    assertThat(sensor.yielded(LONG, now, UNKNOWN)).isFalse();
    assertThat(sensor.maySpin()).isTrue();
  }

  @Test
  void twoLongYieldsSoonAfterOneAnotherStopSpinningForAWhileAndLongerEachTime() {
    long now = clock.now() + 1_000 * MS;
    sensor.yielded(LONG, now, UNKNOWN);
    sensor.yielded(LONG, now + MS, UNKNOWN);
    assertThat(pauseFrom(now + MS)).isEqualTo(2);
    sensor.yielded(LONG, now + 4 * MS, UNKNOWN);
    assertThat(pauseFrom(now + 4 * MS)).isEqualTo(4);
    for (int i = 0; i < 64; i++) {
      sensor.succeeded();
    }
    sensor.yielded(LONG, now + 9 * MS, UNKNOWN);
    assertThat(pauseFrom(now + 9 * MS)).as("success shortens it").isEqualTo(4);
  }

  @Test
  void aPauseEndsThoughNoThreadWaits() {
    clock.passes(1_000 * MS);
    sensor.yielded(LONG, clock.now(), UNKNOWN);
    clock.passes(MS);
    sensor.yielded(LONG, clock.now(), UNKNOWN);
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
      sensor.yielded(LONG, now + i * MS, UNKNOWN);
      most = Math.max(most, pauseFrom(now + i * MS));
    }
    assertThat(most).isEqualTo(128);
  }

  /**
   * An emulated machine: a yield takes longer there, whether or not another thread wants the core.
   */
  @Test
  void yieldsThatAreNoLongerThanTheOthersAreNoShortageOfCores() {
    long slow = 1_600;
    for (int i = 0; i < 1_000; i++) {
      sensor.yielded(i % 2 == 0 ? slow : 2 * slow, i, UNKNOWN);
    }
    assertThat(sensor.contended()).isFalse();
    sensor.yielded(BUSY, 1_001, UNKNOWN);
    sensor.yielded(BUSY, 1_002, UNKNOWN);
    assertThat(sensor.contended()).isTrue();
  }

  /** A peer that needs this very core: no yield is short, and none may pass for the usual one. */
  @Test
  void yieldsThatAreAllBusyAreAShortageOfCores() {
    for (int i = 0; i < 10; i++) {
      sensor.yielded(BUSY, i, UNKNOWN);
    }
    assertThat(sensor.contended()).isTrue();
  }

  @Test
  void aLongYieldInWhichNoOtherThreadHadTheCoreIsNoNeighbour() {
    sensor.countBy(() -> 7);
    long now = clock.now() + 1_000 * MS;
    for (int i = 0; i < 10; i++) {
      assertThat(sensor.yielded(LONG, now + i * MS, 7)).as("this spin ends").isFalse();
      assertThat(sensor.isSuspicious(now + i * MS + 1)).isTrue();
      assertThat(pauseFrom(now + i * MS)).as("the host had the core").isZero();
    }
    sensor.yielded(LONG, now + 11 * MS, 6);
    assertThat(pauseFrom(now + 11 * MS)).as("a thread had it").isEqualTo(2);
  }

  /** Some kernels do not count, and a thread may find no memory for the count. */
  @Test
  void whatWasNotCountedIsANeighbour() {
    sensor.countBy(() -> UNKNOWN);
    long now = clock.now() + 1_000 * MS;
    sensor.yielded(LONG, now, UNKNOWN);
    sensor.yielded(LONG, now + MS, UNKNOWN);
    assertThat(pauseFrom(now + MS)).isEqualTo(2);
  }

  @Test
  void aCountIsAskedForAtRarePausesUntilThereIsOne() {
    long now = clock.now() + 1_000 * MS;
    for (int i = 0; i <= 9; i++) {
      assertThat(sensor.isSuspicious(now + i * MS)).as("there is no count").isFalse();
      sensor.yielded(LONG, now + i * MS, UNKNOWN);
    }
    assertThat(asked).as("at the first, second, fourth and eighth of nine").isEqualTo(4);
    sensor.countBy(() -> 1);
    for (int i = 10; i < 50; i++) {
      sensor.yielded(LONG, now + i * MS, UNKNOWN);
    }
    assertThat(asked).isEqualTo(4);
  }
}
