package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Figures;

class TimesTest {
  /** A turn that did half a load, one load, or two. */
  private static Turn turn(double loads, double seconds, double user) {
    return new Turn(
        new Figures(
            1000 * loads,
            1000 * loads / seconds,
            Double.NaN,
            Double.NaN,
            Map.of("moved_mb", 50 * loads)),
        new Cpu(user, user / 2),
        new Cpu(2 * user, user / 10));
  }

  private static final List<Turn> TURNS = List.of(turn(1, 4, 1), turn(2, 6, 4), turn(0.5, 1, 0.25));

  @Test
  void secondsAreThoseOfOneLoadWhateverATurnDid() {
    assertThat(new Times("Log", 1000).line("TCP", TURNS, 2))
        .isEqualTo(
            "| Log | 2 | TCP | 3.00 (2.00–4.00) | 2.00 (1.00–4.00) | 0.10 (0.05–0.20)"
                + " | 1.00 (0.50–2.00) | 0.50 (0.25–1.00) |\n");
  }

  @Test
  void rowsForOtherProgramsHaveMediansWithLeastAndMost() {
    assertThat(new Times("Log", 1000).row(Arm.SHM, TURNS, 0.998).toString())
        .startsWith("{\"load\":\"Log\",\"carrier\":\"shm\",\"cores\":")
        .contains(",\"turns\":3,\"ring_share\":0.9980,")
        .contains("\"real_s\":3.000,\"real_least_s\":2.000,\"real_most_s\":4.000")
        .contains("\"server_system_s\":0.500")
        .endsWith(",\"moved_mb\":50.000,\"moved_least_mb\":50.000,\"moved_most_mb\":50.000}");
  }
}
