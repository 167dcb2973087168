package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class CrowdTurnsTest {
  @Test
  void memoryIsAnAmountOnceAndAnAmountForEach() {
    assertThat(CrowdTurns.Line.through(10, 1_100, 1_010, 11_100))
        .isEqualTo(new CrowdTurns.Line(1_000, 10));
  }

  @Test
  void turnsBecomeMediansWithLeastAndMost() {
    CrowdTurns turns = new CrowdTurns();
    turns.add(Carrier.SHM, 10, turn(10, 1_000, 1_100));
    turns.add(Carrier.SHM, 10, turn(9, 3_000, 1_100));
    turns.add(Carrier.SHM, 10, turn(10, 2_000, 1_100));
    turns.add(Carrier.SHM, 1_010, turn(1_010, 500, 11_100));
    assertThat(turns.isOnRing()).as("nine of ten in a turn").isFalse();
    StringWriter text = new StringWriter();
    turns.print(new PrintWriter(text));
    assertThat(text.toString().lines())
        .satisfiesExactly(
            first -> assertThat(first).contains(" 9 ", "2,000 (1,000..3,000)", "110 (110..110)"),
            second -> assertThat(second).contains("1,010", "500"),
            third -> assertThat(third).contains("1,000 KiB once and 10.0 KiB for each"));
  }

  @Test
  void rowsForOtherProgramsHaveTheCpuTimeOfBothEnds() {
    CrowdTurns turns = new CrowdTurns();
    turns.add(Carrier.TCP, 10, turn(0, 1_000, 1_100));
    turns.add(Carrier.SHM, 10, turn(9, 1_000, 1_100));
    assertThat(turns.json("threads", 100))
        .satisfiesExactly(
            tcp ->
                assertThat(tcp)
                    .contains("\"carrier\":\"tcp\",\"mode\":\"threads\"", "\"verified\":true"),
            shm ->
                assertThat(shm)
                    .contains(
                        "\"connections\":10,\"busy\":10,\"p50_ns\":1000,\"p50_least_ns\":1000")
                    .contains("\"p99_ns\":2000", "\"server_cpu_ns_per_exchange\":300")
                    .contains("\"client_cpu_ns_per_exchange\":400")
                    .contains("\"times_tcp\":1.0000,\"verified\":false"));
  }

  private static CrowdTurns.Turn turn(double onRing, double perSecond, double kib) {
    return new CrowdTurns.Turn(onRing, perSecond, kib, kib, 1_000, 2_000, 100, 300, 400);
  }
}
