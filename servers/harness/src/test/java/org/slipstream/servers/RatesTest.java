package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Figures;

class RatesTest {
  private static Turn turn(double perSecond, double p50, double p99, double cpu) {
    Cpu server = new Cpu(cpu, cpu / 2);
    Cpu client = new Cpu(2 * cpu, cpu);
    return new Turn(new Figures(1000, perSecond, p50, p99), server, client);
  }

  @Test
  void aRowHasWhatOneOperationTakesAndLeavesOutWhatATurnDoesNotSay() {
    List<Turn> turns =
        List.of(turn(100, 20, 50, 0.02), turn(300, 10, Double.NaN, 0.01), turn(200, 40, 90, 0.04));
    assertThat(new Rates("Server, 1 kB", "requests/s").row(Arm.TCP, turns, 0).toString())
        .startsWith("{\"load\":\"Server, 1 kB\",\"carrier\":\"tcp\",\"cores\":")
        .contains(",\"turns\":3,\"ring_share\":0.0000,\"unit\":\"requests/s\",")
        .contains("\"per_second\":200.000,\"per_second_least\":100.000,\"per_second_most\":300.000")
        .contains("\"p50_us\":20.000,\"p50_least_us\":10.000,\"p50_most_us\":40.000")
        .contains("\"server_cpu_us\":30.000,\"server_cpu_least_us\":15.000")
        .endsWith(
            "\"client_cpu_us\":60.000,\"client_cpu_least_us\":30.000,\"client_cpu_most_us\":120.000}")
        .doesNotContain("p99");
  }
}
