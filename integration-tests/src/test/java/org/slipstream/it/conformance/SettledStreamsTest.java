package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.slipstream.core.api.ConnectionState;
import org.slipstream.core.api.Flow;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.testkit.SettledStreams;

/** What every row rests on: a stream that leaves its ring for good after it settled is noticed. */
class SettledStreamsTest {
  private final SettledStreams streams = new SettledStreams();

  private static StreamStatus status(long ring, long plain) {
    Flow flow = new Flow(true, ring, plain);
    return new StreamStatus(Reason.NONE, ConnectionState.ESTAB, flow, flow);
  }

  @Test
  void bytesOverTcpAloneAreNoticed() {
    streams.add("end", status(5, 10));
    assertThatThrownBy(() -> streams.assertCarried("end", status(5, 11)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("did not carry end");
  }

  @Test
  void silenceRingBytesAndBytesThatOverflowedAreFine() {
    streams.add("end", status(5, 10));
    assertThatCode(() -> streams.assertCarried("end", status(5, 10))).doesNotThrowAnyException();
    assertThatCode(() -> streams.assertCarried("end", status(6, 10))).doesNotThrowAnyException();
    assertThatCode(() -> streams.assertCarried("end", status(6, 99))).doesNotThrowAnyException();
  }

  @Test
  void whatIsNotOnTheRingOrNoneOfOursDoesNotSettle() {
    assertThatThrownBy(() -> streams.add("end", status(0, 10))).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> streams.add("end", null)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> streams.assertCarried("end", null)).isInstanceOf(AssertionError.class);
  }
}
