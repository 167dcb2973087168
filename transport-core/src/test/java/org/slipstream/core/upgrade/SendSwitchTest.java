package org.slipstream.core.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.core.upgrade.SendSwitch.State.LEAVING;
import static org.slipstream.core.upgrade.SendSwitch.State.MARKING;
import static org.slipstream.core.upgrade.SendSwitch.State.OVERFLOWED;
import static org.slipstream.core.upgrade.SendSwitch.State.RING;
import static org.slipstream.core.upgrade.SendSwitch.State.TCP;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.upgrade.SendSwitch.Action;
import org.slipstream.core.upgrade.SendSwitch.State;

/** Every state of a sending direction, and every event in it. */
class SendSwitchTest {

  enum Event {
    BEGIN,
    ABANDON,
    LEAVE,
    OVERFLOW,
    TAKEN;

    void happenTo(SendSwitch s) {
      switch (this) {
        case BEGIN -> s.begin();
        case ABANDON -> s.abandon();
        case LEAVE -> s.leave(false);
        case OVERFLOW -> s.leave(true);
        case TAKEN -> s.taken();
      }
    }
  }

  /** A switch that got to a state by the shortest way. */
  private static SendSwitch in(State state) {
    SendSwitch s = new SendSwitch();
    if (state == TCP) {
      return s;
    }
    s.begin();
    if (state == MARKING) {
      return s;
    }
    s.taken();
    if (state == RING) {
      return s;
    }
    s.leave(state == OVERFLOWED);
    if (state == OVERFLOWED) {
      s.taken();
    }
    return s;
  }

  @ParameterizedTest
  @EnumSource
  void statesAreReached(State state) {
    assertThat(in(state).state()).isEqualTo(state);
  }

  /** The whole table; "-" is an event that must not happen. */
  @ParameterizedTest
  @CsvSource({
    "TCP,     BEGIN, MARKING",
    "TCP,     ABANDON, -",
    "TCP,     LEAVE, -",
    "TCP,     OVERFLOW, -",
    "TCP,     TAKEN, TCP",
    "MARKING, BEGIN, -",
    "MARKING, ABANDON, TCP",
    "MARKING, LEAVE, -",
    "MARKING, OVERFLOW, -",
    "MARKING, TAKEN, RING",
    "RING,    BEGIN, -",
    "RING,    ABANDON, -",
    "RING,    LEAVE, LEAVING",
    "RING,    OVERFLOW, LEAVING",
    "RING,    TAKEN, RING",
    "LEAVING, BEGIN, -",
    "LEAVING, ABANDON, -",
    "LEAVING, LEAVE, -",
    "LEAVING, OVERFLOW, -",
    "LEAVING, TAKEN, TCP",
    "OVERFLOWED, BEGIN, MARKING",
    "OVERFLOWED, ABANDON, -",
    "OVERFLOWED, LEAVE, -",
    "OVERFLOWED, OVERFLOW, -",
    "OVERFLOWED, TAKEN, OVERFLOWED"
  })
  void everyEventInEveryState(State before, Event event, String after) {
    SendSwitch s = in(before);
    if (after.equals("-")) {
      assertThatThrownBy(() -> event.happenTo(s)).isInstanceOf(IllegalStateException.class);
      assertThat(s.state()).isEqualTo(before);
      return;
    }
    event.happenTo(s);
    assertThat(s.state()).isEqualTo(State.valueOf(after));
  }

  @Test
  void aDirectionThatOverflowedAndAbandonsIsWhereItWas() {
    SendSwitch s = in(OVERFLOWED);
    s.begin();
    s.abandon();
    assertThat(s.state()).isEqualTo(OVERFLOWED);
  }

  /** What a writer does next, for each state and both conditions. */
  @ParameterizedTest
  @CsvSource({
    "TCP,     false, false, WRITE_TCP",
    "TCP,     true,  false, WRITE_TCP",
    "TCP,     false, true,  BEGIN",
    "OVERFLOWED, false, false, WRITE_TCP",
    "OVERFLOWED, false, true,  BEGIN",
    "RING,    false, false, WRITE_RING",
    "RING,    false, true,  WRITE_RING",
    "RING,    true,  false, LEAVE",
    "RING,    true,  true,  LEAVE",
    "MARKING, true,  true,  SEND_CONTROL",
    "LEAVING, true,  true,  SEND_CONTROL"
  })
  void theNextAction(State state, boolean mustLeave, boolean mayBegin, Action next) {
    assertThat(in(state).next(mustLeave, mayBegin)).isEqualTo(next);
  }

  @Test
  void aDirectionThatOverflowedIsKnownToUntilItReturns() {
    SendSwitch s = in(RING);
    s.leave(true);
    assertThat(s.state()).isEqualTo(LEAVING);
    assertThat(s.hasOverflowed()).isTrue();
    s.taken();
    assertThat(s.state()).isEqualTo(OVERFLOWED);
    assertThat(s.hasOverflowed()).isTrue();
    s.begin();
    assertThat(s.hasOverflowed()).isFalse();
    s.taken();
    s.leave(false);
    assertThat(s.hasOverflowed()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aStateIsOnTcpOrSwitchedOrInBetween(State state) {
    SendSwitch s = in(state);
    assertThat(s.isTcp()).isEqualTo(state == TCP || state == OVERFLOWED);
    assertThat(s.isSwitched()).isEqualTo(state == MARKING || state == RING);
    assertThat(s.isRing()).isEqualTo(state == RING);
  }
}
