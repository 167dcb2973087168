package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.slipstream.servers.Rounds.Turn;

/** The lines of the table in {@code docs/SERVERS.md}. */
final class Table {
  private static final Path FILE =
      Path.of(System.getProperty("slipstream.servers.table", "target/table.md"));

  private static final double MICROS = 1e6;

  private Table() {}

  /** Appends a line for a scenario. */
  static void add(String name, String unit, List<Turn> off, List<Turn> on, double share)
      throws IOException {
    Files.writeString(
        FILE,
        line(name, unit, off, on, share),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  static String line(String name, String unit, List<Turn> off, List<Turn> on, double share) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %.0f | %.0f | %s | %s, %s | %s, %s | %s, %s | %s, %s | %s | %.1f %% |%n",
        name,
        unit,
        median(off, turn -> turn.figures().perSecond()),
        median(on, turn -> turn.figures().perSecond()),
        ratios(off, on, turn -> turn.figures().perSecond()),
        time(off, turn -> turn.figures().p50()),
        time(on, turn -> turn.figures().p50()),
        time(off, turn -> turn.figures().p99()),
        time(on, turn -> turn.figures().p99()),
        cpu(off, Turn::server),
        cpu(on, Turn::server),
        cpu(off, Turn::client),
        cpu(on, Turn::client),
        ratios(off, on, Table::cpuOfOne),
        100 * share);
  }

  /** Microseconds of user and of system time that one operation, record, row or megabyte took. */
  private static String cpu(List<Turn> turns, Function<Turn, Cpu> side) {
    return String.format(
        Locale.ROOT,
        "%s+%s",
        digits(median(turns, t -> MICROS * side.apply(t).user() / t.figures().amount())),
        digits(median(turns, t -> MICROS * side.apply(t).system() / t.figures().amount())));
  }

  private static double cpuOfOne(Turn turn) {
    Cpu both = turn.server().plus(turn.client());
    return (both.user() + both.system()) / turn.figures().amount();
  }

  /** On to off within a round: the median, the smallest and the largest. */
  private static String ratios(List<Turn> off, List<Turn> on, ToDoubleFunction<Turn> value) {
    Spread all =
        Spread.of(
            IntStream.range(0, off.size())
                .mapToDouble(i -> value.applyAsDouble(on.get(i)) / value.applyAsDouble(off.get(i)))
                .toArray());
    return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", all.median(), all.least(), all.most());
  }

  /** The median, or nothing if a turn does not have it. */
  private static String time(List<Turn> turns, ToDoubleFunction<Turn> value) {
    double micros = median(turns, value);
    if (Double.isNaN(micros)) {
      return "–";
    }
    return micros < 1000 ? digits(micros) + " µs" : digits(micros / 1000) + " ms";
  }

  private static String digits(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }

  private static double median(List<Turn> turns, ToDoubleFunction<Turn> value) {
    return Spread.of(turns, value).median();
  }
}
