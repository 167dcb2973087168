package org.slipstream.agent.fabric;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slipstream.agent.fabric.FabricOutcome.Cell;
import org.slipstream.agent.fabric.FabricOutcome.Figures;
import org.slipstream.agent.fabric.FabricOutcome.Way;

/** A check as people read it, and as programs do. */
final class FabricReport {
  private FabricReport() {}

  // -- for people ------------------------------------------------------------------------------

  static List<String> text(
      FabricOutcome outcome, List<String> tools, List<Beside> measured, int code) {
    List<String> lines = new ArrayList<>();
    end(lines, "here", outcome.here());
    end(lines, "there", outcome.there());
    lines.add("");
    Figures tcp = null;
    for (Way way : outcome.ways()) {
      Figures figures = way.figures();
      if (figures != null) {
        tcp = tcp == null ? figures : tcp;
        table(lines, way.name(), figures, tcp);
      }
    }
    lines.add("");
    tools.forEach(tool -> lines.add(line("beside", tool)));
    measured.forEach(each ->
        lines.add(
            line(
                "beside",
                each.command() + ": " + (each.passed() ? "" : "failed: ") + each.result())));
    outcome.ways().forEach(way -> lines.add(line(way.name(), Verdict.of(outcome, way))));
    lines.add(line("verdict", Verdict.overall(outcome, code)));
    return lines;
  }

  private static void end(List<String> lines, String name, HostReport report) {
    StringBuilder facts = new StringBuilder();
    report
        .facts()
        .forEach((fact, value) -> {
          if (!fact.equals(HostReport.KERNEL)) {
            facts.append(facts.isEmpty() ? "" : ", ").append(fact).append(' ').append(value);
          }
        });
    lines.add(line(name, facts.toString()));
    for (HostReport.TransportReport transport : report.transports()) {
      lines.add(
          line(
              "  " + transport.name(),
              (transport.available() ? "" : "not available: ") + transport.reason()));
      transport.devices().forEach(device -> lines.add(line("", device)));
    }
  }

  private static void table(List<String> lines, String name, Figures figures, Figures tcp) {
    for (int i = 0; i < figures.cells().size(); i++) {
      Cell cell = figures.cells().get(i);
      lines.add(
          line(
              i == 0 ? name : "",
              String.format(
                  Locale.ROOT,
                  "%6d bytes  median %10.2f µs  p99 %10.2f µs  of TCP's time %6.2f  (%d round trips)",
                  cell.bytes(),
                  cell.medianNanos() / 1e3,
                  cell.p99Nanos() / 1e3,
                  Verdict.ratio(figures, tcp, i),
                  cell.rounds())));
    }
    lines.add(
        line(
            "",
            String.format(
                Locale.ROOT,
                "one way       %10.1f MB/s  of TCP's rate %6.2f",
                figures.bytesPerSecond() / 1e6,
                Verdict.rateRatio(figures, tcp))));
  }

  private static String line(String subject, String sentence) {
    return String.format("%-9s %s", subject, sentence).stripTrailing();
  }

  // -- for programs ----------------------------------------------------------------------------

  static String json(FabricOutcome outcome, List<String> tools, List<Beside> measured, int code) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("server", outcome.server());
    all.put("code", code);
    all.put("verdict", Verdict.overall(outcome, code));
    all.put("here", host(outcome.here()));
    all.put("there", host(outcome.there()));
    all.put("ways", outcome.ways().stream().map(way -> way(outcome, way)).toList());
    all.put("beside", tools);
    all.put("measured", measured.stream().map(FabricReport::measured).toList());
    return Json.of(all);
  }

  private static Map<String, Object> measured(Beside beside) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("command", beside.command());
    one.put("passed", beside.passed());
    one.put("result", beside.result());
    one.put("output", beside.output());
    return one;
  }

  private static Map<String, Object> host(HostReport report) {
    Map<String, Object> host = new LinkedHashMap<>(report.facts());
    host.put(
        "transports",
        report.transports().stream()
            .map(transport -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("name", transport.name());
              one.put("available", transport.available());
              one.put("reason", transport.reason());
              one.put("devices", transport.devices());
              return one;
            })
            .toList());
    return host;
  }

  private static Map<String, Object> way(FabricOutcome outcome, Way way) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("name", way.name());
    one.put("state", way.state().name());
    one.put("why", way.why());
    one.put("verdict", Verdict.of(outcome, way));
    Figures figures = way.figures();
    Figures tcp = outcome.tcp().figures();
    if (figures != null && tcp != null) {
      List<Map<String, Object>> cells = new ArrayList<>();
      for (int i = 0; i < figures.cells().size(); i++) {
        Cell cell = figures.cells().get(i);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("bytes", cell.bytes());
        row.put("medianNanos", cell.medianNanos());
        row.put("p99Nanos", cell.p99Nanos());
        row.put("rounds", cell.rounds());
        row.put("ofTcp", Verdict.ratio(figures, tcp, i));
        cells.add(row);
      }
      one.put("roundTrips", cells);
      one.put("bytesPerSecond", Math.round(figures.bytesPerSecond()));
      one.put("rateOfTcp", Verdict.rateRatio(figures, tcp));
    }
    return one;
  }
}
