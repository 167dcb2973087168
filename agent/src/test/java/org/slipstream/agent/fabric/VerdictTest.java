package org.slipstream.agent.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.agent.fabric.FabricOutcome.Cell;
import org.slipstream.agent.fabric.FabricOutcome.Figures;
import org.slipstream.agent.fabric.FabricOutcome.State;
import org.slipstream.agent.fabric.FabricOutcome.Way;

/** Which exit code a check has, and what it says. */
class VerdictTest {
  private static final HostReport HOST = new HostReport(Map.of("host", "a"), List.of());

  private static Way way(String name, State state) {
    @Nullable Figures figures =
        state == State.CARRIES
            ? new Figures(
                List.of(new Cell(64, name.equals("tcp") ? 10_000 : 2_500, 20_000, 9)),
                name.equals("tcp") ? 1e9 : 3e9)
            : null;
    return new Way(name, state, "why", figures);
  }

  private static FabricOutcome outcome(Way... transports) {
    List<Way> ways = new ArrayList<>(List.of(transports));
    ways.addFirst(way("tcp", State.CARRIES));
    return new FabricOutcome("b:1", HOST, HOST, ways);
  }

  private static int code(List<String> expected, Way... transports) {
    return Verdict.code(outcome(transports), expected);
  }

  @Test
  void withoutExpectationsEachTransportOfBothEndsHasToCarry() {
    Way carries = way("rdma", State.CARRIES);
    assertThat(code(List.of(), carries)).isZero();
    assertThat(code(List.of(), carries, way("ntb", State.MISSING))).isZero();
    assertThat(code(List.of(), carries, way("shm", State.NOT_FOR_THIS))).isZero();
    assertThat(code(List.of(), carries, way("ntb", State.DOES_NOT_JOIN))).isEqualTo(1);
    assertThat(code(List.of(), carries, way("ntb", State.BROKE))).isEqualTo(1);
  }

  @Test
  void onlyTcpIsNotEnough() {
    assertThat(code(List.of())).isEqualTo(1);
    assertThat(code(List.of(), way("rdma", State.MISSING))).isEqualTo(1);
    assertThat(code(List.of(), way("shm", State.NOT_FOR_THIS))).isEqualTo(1);
  }

  @Test
  void whatIsExpectedHasToCarryAndNothingElse() {
    Way carries = way("rdma", State.CARRIES);
    assertThat(code(List.of("rdma"), carries, way("ntb", State.BROKE))).isZero();
    assertThat(code(List.of("rdma", "rdma"), carries)).isZero();
    assertThat(code(List.of("rdma", "ntb"), carries, way("ntb", State.MISSING))).isEqualTo(1);
    assertThat(code(List.of("shm"), carries)).isEqualTo(1);
  }

  @Test
  void eachWayHasASentenceAndWhatIsBrokenAMark() {
    FabricOutcome outcome =
        outcome(
            way("rdma", State.CARRIES),
            way("ntb", State.DOES_NOT_JOIN),
            way("shm", State.NOT_FOR_THIS));
    assertThat(outcome.ways().stream().map(way -> Verdict.of(outcome, way)))
        .containsExactly(
            "reaches b:1",
            "carries both directions: 64 bytes there and back in 0.25 of TCP's time, a stream at"
                + " 3.00 of its rate",
            "! both ends have it, and it does not join them: why",
            "not for this: it why");
    assertThat(Verdict.overall(outcome, 1))
        .isEqualTo(
            "rdma joins the two ends, but not all that was expected does; see the lines with !");
    assertThat(Verdict.overall(outcome(), 1)).isEqualTo("only TCP joins the two ends");
  }

  @Test
  void jsonIsOneLineOfJson() {
    String json =
        FabricReport.json(outcome(way("rdma", State.CARRIES)), List.of("a \"b\" \\"), List.of(), 0);
    assertThat(json)
        .startsWith("{\"server\":\"b:1\",\"code\":0,")
        .contains("\"here\":{\"host\":\"a\",\"transports\":[]}")
        .contains("\"beside\":[\"a \\\"b\\\" \\\\\"]")
        .contains("\"ofTcp\":0.250")
        .doesNotContain("\n");
  }

  @Test
  void percentilesAreSamples() {
    Latencies latencies = new Latencies();
    assertThat(latencies.percentile(50)).isZero();
    for (int i = 100; i > 0; i--) {
      latencies.add(i);
    }
    assertThat(latencies.percentile(50)).isEqualTo(51);
    assertThat(latencies.percentile(99)).isEqualTo(100);
    assertThat(latencies.count()).isEqualTo(100);
  }
}
