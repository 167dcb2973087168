package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.agent.trial.Carried.Group;
import org.slipstream.core.status.ProcessStatus;

class CarriedTest {
  private final Carried carried = new Carried();

  private void look(String... streams) {
    carried.streams(
        ProcessStatus.parseAll(
            "{\"pid\":7,\"program\":\"P\",\"streams\":[" + String.join(",", streams) + "]}"));
  }

  private static String stream(int port, String carrier, long ring, long plain, String reason) {
    return """
    {"local":"1:%d","remote":"1:80","role":"client","carrier":"%s","ringBytesOut":%d,\
    "ringBytesIn":0,"plainBytesOut":%d,"plainBytesIn":0,"reason":"%s","advice":"do"}\
    """
        .formatted(port, carrier, ring, plain, reason);
  }

  private void sums(long opened, long ring, long plain) {
    carried.totals(
        ProcessStatus.parseAll(
            """
            {"pid":7,"streamsOpened":%d,"ringBytesOut":%d,"ringBytesIn":0,"plainBytesOut":%d,\
            "plainBytesIn":0}\
            """
                .formatted(opened, ring, plain)));
  }

  @Test
  void nothingSeenIsNothing() {
    assertThat(carried.processes()).isZero();
    assertThat(carried.byCarrier()).containsExactly(new Group("tcp", 0, 0));
    assertThat(carried.reasons()).isEmpty();
    assertThat(carried.unseen().streams()).isZero();
  }

  @Test
  void aStreamCountsWhereItEverWasAndItsBytesWhereTheyWent() {
    look(stream(1, "tcp", 0, 100, "OFFERED"), stream(2, "tcp", 0, 5, "RULE"));
    look(stream(1, "shm", 1000, 150, "NONE"), stream(2, "tcp", 0, 50, "RULE"));
    look(stream(1, "tcp", 2000, 170, "RING_FULL"));
    assertThat(carried.byCarrier())
        .containsExactly(new Group("shm", 1, 2000), new Group("tcp", 1, 220));
    assertThat(carried.reasons()).containsExactly(new Group("RULE: do", 1, 50));
  }

  @Test
  void theReasonOfMostStreamsIsFirst() {
    look(
        stream(1, "tcp", 0, 1, "RULE"),
        stream(2, "tcp", 0, 2, "URGENT_DATA"),
        stream(3, "tcp", 0, 3, "URGENT_DATA"));
    assertThat(carried.reasons())
        .containsExactly(new Group("URGENT_DATA: do", 2, 5), new Group("RULE: do", 1, 1));
  }

  @Test
  void addressesThatAreUsedAgainAreAnotherStream() {
    look(stream(1, "shm", 1000, 10, "NONE"));
    look(stream(1, "tcp", 0, 20, "OFFERED"));
    assertThat(carried.byCarrier())
        .containsExactly(new Group("shm", 1, 1000), new Group("tcp", 1, 30));
  }

  @Test
  void streamsThatNoLookHasMetAreInTheSums() {
    sums(3, 1000, 200);
    look(stream(1, "shm", 1000, 10, "NONE"));
    assertThat(carried.unseen()).isEqualTo(new Group("not seen", 2, 190));
    assertThat(carried.processes()).isEqualTo(1);
  }

  @Test
  void sumsThatAreOlderThanTheStreamsAreNotNegative() {
    sums(0, 0, 0);
    look(stream(1, "shm", 1000, 10, "NONE"));
    assertThat(carried.unseen()).isEqualTo(new Group("not seen", 0, 0));
    assertThat(List.of(carried.processes())).containsExactly(1);
  }
}
