package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Figures;

class RoundsTest {
  private final List<String> order = new ArrayList<>();

  private Turn turn(String side) {
    order.add(side);
    return new Turn(new Figures(order.size(), 1, 1, 1), Cpu.ZERO, Cpu.ZERO);
  }

  private static List<Double> amounts(List<Turn> turns) {
    return turns.stream().map(turn -> turn.figures().amount()).toList();
  }

  @Test
  void theFirstTurnChangesWithEachRound() throws Exception {
    List<Integer> told = new ArrayList<>();
    Rounds rounds =
        Rounds.take(
            3,
            List.of(() -> turn("off"), () -> turn("on")),
            so -> told.add(so.turns().getLast().size()));
    assertThat(order).containsExactly("off", "on", "on", "off", "off", "on");
    assertThat(told).containsExactly(1, 2, 3);
    assertThat(amounts(rounds.turns().getFirst())).containsExactly(1.0, 4.0, 5.0);
    assertThat(amounts(rounds.turns().getLast())).containsExactly(2.0, 3.0, 6.0);
  }

  @Test
  void threeArmsTakeTurns() throws Exception {
    Rounds.take(2, List.of(() -> turn("a"), () -> turn("b"), () -> turn("c")), so -> {});
    assertThat(order).containsExactly("a", "b", "c", "b", "c", "a");
  }
}
