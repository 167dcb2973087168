package org.slipstream.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.status.ProcessStatus;

class RunningSessionsTest {
  private static final String HEAD =
      "{\"pid\":7,\"program\":\"P\",\"sessionsOpen\":2,\"sessions\":[";

  private static ProcessStatus process(String... rows) {
    String text = HEAD + String.join(",", rows) + "]}";
    return ProcessStatus.parse(text).orElseThrow();
  }

  private static String open(String device, int streams, int pinned) {
    return "{\"transport\":\"rdma\",\"state\":\"open\",\"device\":\"%s\",\"streams\":%d,\"pinnedBytes\":%d}"
        .formatted(device, streams, pinned);
  }

  @Test
  void sessionsAreAddedUpForEachDevice() {
    assertThat(
            RunningSessions.sentence(
                process(
                    open("mlx5_0/1", 2, 1000),
                    open("mlx5_1/1", 1, 500),
                    open("mlx5_0/1", 3, 2000))))
        .contains(
            "process 7: 2 open over rdma on mlx5_0/1 with 5 streams, 3000 pinned;"
                + " 1 open over rdma on mlx5_1/1 with 1 streams, 500 pinned");
  }

  @Test
  void whatWasRefusedAndWhatEndedSaysWhy() {
    assertThat(
            RunningSessions.sentence(
                process(
                    "{\"transport\":\"rdma\",\"state\":\"refused\",\"address\":\"10.0.0.1:7000\",\"cause\":\"another key\"}",
                    "{\"transport\":\"rdma\",\"state\":\"ended\",\"device\":\"mlx5_0/1\",\"seconds\":9,\"cause\":\"the link is down\"}")))
        .contains(
            "process 7: refused by 10.0.0.1:7000: another key;"
                + " ended 9 s ago, rdma on mlx5_0/1: the link is down");
  }

  @Test
  void sessionsOnOneHostAreNotItsBusiness() {
    assertThat(List.of(process("{\"transport\":\"shm\",\"state\":\"open\",\"streams\":1}")))
        .allSatisfy(p -> assertThat(RunningSessions.sentence(p)).isEmpty());
  }
}
