package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Figures;

class TableTest {
  private static final double NONE = Double.NaN;

  /** A turn of 1000 operations in which the client takes half the processor time of the server. */
  private static Turn turn(double perSecond, double p50, double p99, double user, double system) {
    Cpu server = new Cpu(user, system);
    Cpu client = new Cpu(user / 2, system / 2);
    return new Turn(new Figures(1000, perSecond, p50, p99), server, client);
  }

  @Test
  void mediansOfTurnsAndRatiosWithinRounds() {
    List<Turn> off =
        List.of(
            turn(100, 10, 900, 0.010, 0.020),
            turn(300, 30, 1100, 0.030, 0.010),
            turn(200, 20, 2000, 0.020, 0.030));
    List<Turn> on =
        List.of(
            turn(150, 9.44, 999, 0.004, 0.002),
            turn(150, 5, 800, 0.012, 0.008),
            turn(400, 20, 90, 0.008, 0.002));
    // Speed, on / off: 1.5, 0.5, 2. Processor time, on / off: 6/30, 20/40, 10/50.
    assertThat(Table.line("Name", "things/s", off, on, 0.99949))
        .isEqualTo(
            "| Name | things/s | 200 | 150 | 1.50 (0.50–2.00) | 20 µs, 9.4 µs | 1.1 ms, 800 µs"
                + " | 20+20, 8.0+2.0 | 10+10, 4.0+1.0 | 0.20 (0.20–0.50) | 99.9 % |\n");
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    List<Turn> off = List.of(turn(100, 1, 4, 1, 0), turn(100, 3, 8, 1, 0));
    List<Turn> on = List.of(turn(100, 1, 4, 1, 0), turn(300, 3, 8, 2, 0));
    assertThat(Table.line("N", "u", off, on, 1))
        .startsWith("| N | u | 100 | 200 | 2.00 (1.00–3.00) | 2.0 µs, 2.0 µs | 6.0 µs, 6.0 µs |")
        .endsWith("| 1.50 (1.00–2.00) | 100.0 % |\n");
  }

  @Test
  void aPercentileThatATurnDoesNotHaveIsLeftOut() {
    List<Turn> off =
        List.of(turn(1, NONE, 5, 1, 1), turn(1, NONE, NONE, 1, 1), turn(1, NONE, 6, 1, 1));
    List<Turn> on = List.of(turn(1, 1, 5, 1, 1), turn(1, 1, 7, 1, 1), turn(1, 1, 6, 1, 1));
    assertThat(Table.line("N", "u", off, on, 1)).contains("| –, 1.0 µs | –, 6.0 µs |");
  }
}
