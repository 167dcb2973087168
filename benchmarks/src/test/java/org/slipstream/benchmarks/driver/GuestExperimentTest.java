package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.slipstream.benchmarks.programs.Mode;
import org.slipstream.benchmarks.programs.Report;

/** What the script in the virtual machine leaves becomes rows; a boot is no part of it. */
class GuestExperimentTest {
  private static final List<Integer> SIZES = List.of(64, 1024);

  private static Plan plan() {
    return new Plan(
        Exercise.PING_PONG,
        Mode.BLOCKING,
        List.of(Carrier.GUEST_TCP, Carrier.GUEST_RDMA),
        SIZES,
        2,
        300,
        0,
        0,
        1,
        0,
        1,
        1,
        0,
        false,
        Path.of("/nowhere/agent/target/slipstream.jar"),
        List.of());
  }

  private static GuestExperiment experiment() {
    PrintStream nothing = new PrintStream(new ByteArrayOutputStream());
    return new GuestExperiment(plan(), new Progress(nothing, false, plan()));
  }

  private static String line(int size, String where, String state, long nanos) {
    Histogram histogram = Report.newHistogram();
    histogram.recordValueWithCount(nanos, 100);
    return size
        + " "
        + where
        + " "
        + state
        + " "
        + new Report(100, 100 * nanos, 110, histogram).toLine();
  }

  @Test
  void turnsOfASizeBecomeARowForEachCarrier() throws Exception {
    List<String> lines = new ArrayList<>();
    for (int size : SIZES) {
      for (int round = 0; round < 2; round++) {
        lines.add(line(size, "tcp", "on", 130_000));
        lines.add(line(size, "rdma", size == 64 ? "on" : "off", 26_000));
      }
    }
    List<List<Row>> rows = experiment().rows(lines);
    assertThat(rows).hasSize(2).allSatisfy(ofSize -> assertThat(ofSize).hasSize(2));
    Row rdma = rows.getFirst().getLast();
    assertThat(rdma.carrier()).isEqualTo(Carrier.GUEST_RDMA);
    assertThat(rdma.size()).isEqualTo(64);
    assertThat(rdma.rounds()).isEqualTo(2);
    assertThat(rdma.toTcp()).isBetween(4.9, 5.1);
    assertThat(rdma.complaint()).isNull();
    assertThat(rows.getLast().getLast().complaint()).contains("too few packets");
    assertThat(rows.getLast().getFirst().complaint()).isNull();
    assertThat(JsonReport.object(rdma))
        .startsWith("{\"carrier\":\"guest-rdma\",\"mode\":\"blocking\",\"size\":64,");
  }

  @Test
  void anythingElseIsAFailureAndNoRow() {
    assertThatThrownBy(() -> experiment().rows(List.of("64 tcp on nothing")))
        .isInstanceOf(BenchmarkFailure.class)
        .hasMessageContaining("left no row");
    assertThatThrownBy(() -> experiment().run(rows -> {}))
        .isInstanceOf(BenchmarkFailure.class)
        .hasMessageContaining("There is no virtual machine in /nowhere/integration-tests/guest");
  }
}
