package org.slipstream.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.api.ConnectionState;
import org.slipstream.core.api.Flow;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;

class EndedStreamsTest {

  @ParameterizedTest(name = "out {0} raw {1} ring, in {2} raw {3} ring")
  @CsvSource({
    "0, 0, 0, 0,  0, 0", "1, 0, 0, 0,  1, 0", "0, 1, 0, 0,  1, 1", "0, 0, 0, 1,  1, 1",
    "1, 1, 0, 0,  1, 1", "0, 1, 1, 0,  1, 0", "1, 0, 0, 1,  1, 0", "1, 1, 1, 1,  1, 1"
  })
  void aStreamCountsIfEachDirectionThatCarriedAByteUsedTheRing(
      long plainOut, long ringOut, long plainIn, long ringIn, long carried, long onRing) {
    StreamStatus status =
        new StreamStatus(
            Reason.NONE, ConnectionState.ESTAB, flow(plainOut, ringOut), flow(plainIn, ringIn));
    EndedStreams one = EndedStreams.NONE.with(status);
    assertThat(one).isEqualTo(new EndedStreams(1, carried, onRing));
    assertThat(one.with(status).since(one)).isEqualTo(one);
  }

  private static Flow flow(long plain, long ring) {
    return new Flow(false, ring, plain);
  }
}
