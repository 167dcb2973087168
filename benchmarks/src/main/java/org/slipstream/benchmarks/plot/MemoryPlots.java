package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * One-sided memory: the two programs over their processes, reads over clients or servers, and reads
 * and reservations over their sizes.
 */
final class MemoryPlots {
  private static final double MILLI = 1e6;
  private static final double MICRO = 1e3;

  private MemoryPlots() {}

  static Plot plot(List<Measured> files) {
    Rows rows =
        new Rows(
            files, List.of("arm", "program", "size"), List.of("workers", "clients", "servers"));
    List<Panel> panels = new ArrayList<>();
    for (String program : rows.values("program")) {
      if (!program.isEmpty()) {
        panels.add(
            rows.panel(
                program + ", the same work for each process",
                "ms",
                false,
                rows.logarithmic("processes", "workers", Amounts::tick),
                "workers",
                row -> Rows.text(row, "program").equals(program),
                Figure.of("run_ns", "run_least_ns", "run_most_ns", MILLI)));
      }
    }
    for (String many : List.of("clients", "servers")) {
      if (rows.values("clients").stream().anyMatch(value -> !value.isEmpty())) {
        String one = many.equals("clients") ? "servers" : "clients";
        panels.add(
            rows.panel(
                "Reads, " + many + " of one " + one.substring(0, one.length() - 1),
                "per second",
                true,
                rows.logarithmic(many, many, Amounts::tick),
                many,
                row -> Rows.text(row, one).equals("1"),
                Figure.of("per_second", "per_second_least", "per_second_most", 1)));
      }
    }
    panels.addAll(bySize(files, "way", "Reads of another process's memory", "ns", 1));
    panels.addAll(bySize(files, "reservation", "Reservations", "µs", MICRO));
    return ExchangePlots.plot("One-sided memory", files, panels.toArray(Panel[]::new));
  }

  private static List<Panel> bySize(
      List<Measured> files, String kind, String title, String unit, double divisor) {
    List<Measured> its = files.stream().map(file -> file.with(row -> row.has(kind))).toList();
    if (its.stream().allMatch(file -> file.rows().isEmpty())) {
      return List.of();
    }
    Rows rows = new Rows(its, List.of(kind), List.of("size"));
    return List.of(
        rows.panel(
            title,
            unit,
            true,
            rows.logarithmic("bytes", "size", Amounts::bytes),
            "size",
            row -> true,
            Figure.of("each_ns", "each_least_ns", "each_most_ns", divisor)));
  }
}
