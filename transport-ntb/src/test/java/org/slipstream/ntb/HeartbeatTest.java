package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a process that gives no sign of life is dead; the test holds the clock. */
class HeartbeatTest {
  private static final long PACE = Heartbeat.PACE_NS;

  private final Heartbeat heartbeat = new Heartbeat();
  private long now = 12345;

  private void look(long value, long after) {
    now += after;
    heartbeat.look(value, now);
  }

  private void looks(int times, long value, long pace) {
    for (int i = 0; i < times; i++) {
      look(value, pace);
    }
  }

  @Test
  void oneThatBeatsIsAlive() {
    for (int i = 1; i < 1_000; i++) {
      look(i, Heartbeat.PATIENCE_NS / 2);
      assertThat(heartbeat.isSilent()).isFalse();
    }
  }

  @Test
  void oneThatNeverBeganIsOfAnOlderVersion() {
    looks(1_000, 0, Heartbeat.PATIENCE_NS);
    assertThat(heartbeat.isSilent()).isFalse();
  }

  @Test
  void oneThatStopsIsDeadAfterManyLooksAndLongEnough() {
    look(5, PACE);
    looks(Heartbeat.LOOKS - 1, 5, Heartbeat.PATIENCE_NS);
    assertThat(heartbeat.isSilent()).as("too few looks, however long they took").isFalse();
    look(5, PACE);
    assertThat(heartbeat.isSilent()).isTrue();
    look(6, PACE);
    assertThat(heartbeat.isSilent()).as("it was only stopped").isFalse();
  }

  @Test
  void looksWithoutAPauseCountAsOne() {
    look(5, PACE);
    look(5, Heartbeat.PATIENCE_NS);
    looks(100_000, 5, 1);
    assertThat(heartbeat.isSilent()).isFalse();
  }

  @Test
  void manyLooksInAShortTimeAreNotEnough() {
    look(5, PACE);
    long pace = (Heartbeat.PATIENCE_NS - 1) / (2 * Heartbeat.LOOKS);
    looks(2 * Heartbeat.LOOKS, 5, pace);
    assertThat(heartbeat.isSilent()).isFalse();
    looks(2, 5, pace);
    assertThat(heartbeat.isSilent()).isTrue();
  }

  @Test
  void aNewProcessBeginsAnew() {
    look(5, PACE);
    looks(Heartbeat.LOOKS, 5, Heartbeat.PATIENCE_NS);
    assertThat(heartbeat.isSilent()).isTrue();
    look(0, PACE);
    assertThat(heartbeat.isSilent()).isFalse();
  }
}
