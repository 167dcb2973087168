package org.slipstream.servers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.slipstream.servers.Scenario.Figures;

/**
 * Runs a scenario without and with Slipstream, in turns, and compares. With the property {@code
 * slipstream.servers.rounds} a line of the table is printed.
 */
public final class Comparison {
  /** The head of the table, for documents. */
  public static final String HEAD =
      "| server and load | unit | off | on | on / off | p50 off, on | p99 off, on"
          + " | server CPU s off, on | client CPU s off, on | left the kernel |\n"
          + "|---|---|---|---|---|---|---|---|---|---|";

  /** How much more load than a test when figures are wanted. */
  private static final int SCALE = Integer.getInteger("slipstream.servers.scale", 10);

  private Comparison() {}

  /**
   * What a round brought.
   *
   * @param figures of the scenario
   * @param server processor time of all servers
   * @param client processor time of all clients
   * @param share of the servers' bytes that left the kernel
   */
  public record Round(Figures figures, Cpu server, Cpu client, double share) {}

  /**
   * Runs it once.
   *
   * @param scenario what
   * @param accelerated with Slipstream, or without
   * @param scale how much load
   * @return what it brought
   * @throws Exception whatever fails
   */
  public static Round once(Scenario scenario, boolean accelerated, int scale) throws Exception {
    try (Run run = new Run(accelerated, scale)) {
      Figures figures = scenario.measure(run);
      return new Round(figures, run.serverCpu(), run.clientCpu(), run.share());
    }
  }

  /**
   * Prints a line of the table, if asked for.
   *
   * @param name of the server and its load
   * @param unit of the throughput
   * @param scenario what to run
   * @throws Exception whatever fails
   */
  public static void measureIfWanted(String name, String unit, Scenario scenario) throws Exception {
    int rounds = Integer.getInteger("slipstream.servers.rounds", 0);
    List<Round> off = new ArrayList<>();
    List<Round> on = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      off.add(once(scenario, false, SCALE));
      on.add(once(scenario, true, SCALE));
    }
    if (rounds > 0) {
      String line = line(name, unit, off, on);
      System.out.println(HEAD);
      System.out.println(line);
      Path file = Path.of(System.getProperty("slipstream.servers.table", "target/table.md"));
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  static String line(String name, String unit, List<Round> off, List<Round> on) {
    double[] ratios = new double[off.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = on.get(i).figures().perSecond() / off.get(i).figures().perSecond();
    }
    java.util.Arrays.sort(ratios);
    return String.format(
        Locale.ROOT,
        "| %s | %s | %.0f | %.0f | %.2f (%.2f–%.2f) | %s, %s | %s, %s | %s, %s | %s, %s | %.1f %% |",
        name,
        unit,
        median(off, r -> r.figures().perSecond()),
        median(on, r -> r.figures().perSecond()),
        ratios[ratios.length / 2],
        ratios[0],
        ratios[ratios.length - 1],
        micros(median(off, r -> r.figures().p50())),
        micros(median(on, r -> r.figures().p50())),
        micros(median(off, r -> r.figures().p99())),
        micros(median(on, r -> r.figures().p99())),
        cpu(off, Round::server),
        cpu(on, Round::server),
        cpu(off, Round::client),
        cpu(on, Round::client),
        100 * median(on, Round::share));
  }

  private static String cpu(List<Round> rounds, java.util.function.Function<Round, Cpu> side) {
    return String.format(
        Locale.ROOT,
        "%.1f+%.1f",
        median(rounds, r -> side.apply(r).user()),
        median(rounds, r -> side.apply(r).system()));
  }

  private static String micros(double micros) {
    return Double.isNaN(micros)
        ? "–"
        : micros < 1000
            ? String.format(Locale.ROOT, "%.0f µs", micros)
            : String.format(Locale.ROOT, "%.1f ms", micros / 1000);
  }

  private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
    double[] all = rounds.stream().mapToDouble(value).sorted().toArray();
    return all[all.length / 2];
  }
}
