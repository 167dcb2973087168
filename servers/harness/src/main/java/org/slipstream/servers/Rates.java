package org.slipstream.servers;

import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.slipstream.servers.Rounds.Turn;

/**
 * A load without an end of its own: so many operations in a second, and what one of them takes.
 *
 * @param load its name
 * @param unit of the rate, such as {@code requests/s}
 */
record Rates(String load, String unit) {
  private static final double MICROS = 1e6;

  /** The figures of an arm, with the time and the processor time of one operation. */
  JsonRow row(Arm arm, List<Turn> turns, double share) {
    return new JsonRow(load, arm, turns.size(), share)
        .add("unit", unit)
        .add("per_second", "", Spread.of(turns, turn -> turn.figures().perSecond()))
        .add("p50", "_us", Spread.of(turns, turn -> turn.figures().p50()))
        .add("p99", "_us", Spread.of(turns, turn -> turn.figures().p99()))
        .add("server_cpu", "_us", Spread.of(turns, cpu(Turn::server)))
        .add("client_cpu", "_us", Spread.of(turns, cpu(Turn::client)));
  }

  private static ToDoubleFunction<Turn> cpu(Function<Turn, Cpu> side) {
    return turn -> {
      Cpu cpu = side.apply(turn);
      return MICROS * (cpu.user() + cpu.system()) / turn.figures().amount();
    };
  }
}
