package org.slipstream.core.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.core.upgrade.ReceiveSwitch.State.DRAINING;
import static org.slipstream.core.upgrade.ReceiveSwitch.State.RING;
import static org.slipstream.core.upgrade.ReceiveSwitch.State.TCP;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.upgrade.ReceiveSwitch.State;

/** Every state of a receiving direction, and every event in it. */
class ReceiveSwitchTest {
  private static final long LEFT_AT = 7;

  enum Event {
    MARK,
    BACK,
    FAIL,
    EMPTIED;

    void happenTo(ReceiveSwitch s) throws ProtocolViolationException {
      switch (this) {
        case MARK -> s.mark();
        case BACK -> s.back(LEFT_AT);
        case FAIL -> s.fail();
        case EMPTIED -> s.emptied(LEFT_AT);
      }
    }
  }

  private static ReceiveSwitch in(State state) {
    ReceiveSwitch s = new ReceiveSwitch();
    if (state != TCP) {
      s.mark();
    }
    if (state == DRAINING) {
      s.back(LEFT_AT);
    }
    return s;
  }

  /** The whole table; "-" is an event that must not happen. */
  @ParameterizedTest
  @CsvSource({
    "TCP,      MARK,    RING",
    "TCP,      BACK,    -",
    "TCP,      FAIL,    -",
    "TCP,      EMPTIED, -",
    "RING,     MARK,    -",
    "RING,     BACK,    DRAINING",
    "RING,     FAIL,    TCP",
    "RING,     EMPTIED, -",
    "DRAINING, MARK,    -",
    "DRAINING, BACK,    -",
    "DRAINING, FAIL,    -",
    "DRAINING, EMPTIED, TCP"
  })
  void everyEventInEveryState(State before, Event event, String after) throws Exception {
    ReceiveSwitch s = in(before);
    if (after.equals("-")) {
      assertThatThrownBy(() -> event.happenTo(s)).isInstanceOf(IllegalStateException.class);
      assertThat(s.state()).isEqualTo(before);
      return;
    }
    event.happenTo(s);
    assertThat(s.state()).isEqualTo(State.valueOf(after));
  }

  @Test
  void theRingMustEndWhereThePeerLeftIt() {
    ReceiveSwitch s = in(DRAINING);
    assertThatThrownBy(() -> s.emptied(LEFT_AT - 1))
        .isInstanceOf(ProtocolViolationException.class)
        .hasMessage("Peer left the ring at 7");
    assertThat(s.state()).isEqualTo(DRAINING);
  }

  @Test
  void thePeerIsProvenByItsMarkerUntilThereIsAnotherLink() throws Exception {
    ReceiveSwitch s = in(TCP);
    assertThat(s.isProven()).isFalse();
    s.mark();
    assertThat(s.isProven()).isTrue();
    s.back(LEFT_AT);
    s.emptied(LEFT_AT);
    assertThat(s.isProven()).isTrue();
    s.linkReplaced();
    assertThat(s.isProven()).isFalse();
  }

  @Test
  void onTcpMeansNothingIsLeftInTheRing() {
    assertThat(in(TCP).isTcp()).isTrue();
    assertThat(in(RING).isTcp()).isFalse();
    assertThat(in(DRAINING).isTcp()).isFalse();
  }
}
