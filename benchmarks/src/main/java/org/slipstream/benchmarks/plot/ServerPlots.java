package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.json.JSONObject;

/**
 * Servers under load: times of loads of one size as {@code time} prints them, rates of others with
 * the time and the processor time of one operation.
 */
final class ServerPlots {
  private static final List<String> TIMES =
      List.of("real", "client_user", "client_system", "server_user", "server_system");

  /** What Spark says of its tasks, and the jobs of Hadoop of their starts. */
  private static final List<String> ENGINES = List.of("task", "fetch_wait", "start", "compilers");

  /** Of loads that the paper about the preload library has, too. */
  private static final String NEW_CLIENT = ", new client";

  /** Real, user and system time of psql there, in seconds. */
  private static final double[] PSQL = {12.14, 1.07, 1.16};

  private static final double[] PSQL_PRELOADED = {7.69, 7.66, 0.04};

  /** How the names of access patterns begin: a number of accesses and their kind, then who. */
  private static final String PATTERN = "HDFS: ";

  /** Between the kind of an access, and by how many clients and how it is done. */
  private static final String WHO = ", ";

  private static final int BESIDE = 3;

  private ServerPlots() {}

  static Plot plot(List<Measured> files) {
    Rows rows = new Rows(files, List.of("carrier"), List.of("load", "cores"));
    Map<String, Figure> figures = new LinkedHashMap<>();
    List<String> times = new ArrayList<>(TIMES);
    times.addAll(ENGINES);
    for (String time : times) {
      figures.put(
          time.replace('_', ' ').replace("system", "sys"),
          Figure.of(time + "_s", time + "_least_s", time + "_most_s", 1));
    }
    List<Panel> panels = new ArrayList<>(patterns(rows));
    for (String load : rows.values("load")) {
      for (String cores : load.startsWith(PATTERN) ? List.<String>of() : rows.values("cores")) {
        panels.add(
            rows.bars(
                load + (cores.isEmpty() ? "" : ", " + cores + " cores"),
                "s",
                figures,
                row ->
                    Rows.text(row, "load").equals(load) && Rows.text(row, "cores").equals(cores)));
      }
    }
    if (rows.values("load").stream().anyMatch(load -> load.endsWith(NEW_CLIENT))) {
      panels.add(paper(panels.getFirst()));
    }
    panels.addAll(rates(rows));
    String title = rows.values("unit").equals(List.of("")) ? "Time of one load" : "Servers";
    return ExchangePlots.plot(title, files, panels.toArray(Panel[]::new));
  }

  /** Loads without an end, all beside each other. */
  private static List<Panel> rates(Rows rows) {
    List<String> units =
        rows.values("unit").stream()
            .filter(unit -> !unit.isEmpty())
            .map(unit -> unit.replaceFirst("/s$", ""))
            .toList();
    if (units.isEmpty()) {
      return List.of();
    }
    String rates = String.join(", ", units);
    return List.of(
        rates(rows, Amounts.capital(rates) + common(rows), "per second", "per_second", ""),
        rates(rows, "Time of one, median", "µs", "p50", "_us"),
        rates(rows, "Processor time for one, servers", "µs", "server_cpu", "_us"),
        rates(rows, "Processor time for one, clients", "µs", "client_cpu", "_us"));
  }

  private static Panel rates(Rows rows, String title, String axis, String name, String unit) {
    Figure figure = Figure.of(name + unit, name + "_least" + unit, name + "_most" + unit, 1);
    Map<String, Figure> groups = new LinkedHashMap<>();
    List<String> cores = rows.values("cores");
    String common = common(rows);
    for (String load : rows.values("load")) {
      String brief = load.substring(0, load.length() - common.length());
      for (String count : cores) {
        Predicate<JSONObject> which =
            row -> Rows.text(row, "load").equals(load) && Rows.text(row, "cores").equals(count);
        groups.put(brief + (cores.size() > 1 ? ", " + count + " cores" : ""), figure.where(which));
      }
    }
    return rows.bars(title, axis, groups, row -> true);
  }

  /** What the names of all loads end with: a comma and a word, as their size. */
  private static String common(Rows rows) {
    List<String> loads = rows.values("load");
    String first = loads.getFirst();
    String end = first.substring(Math.max(0, first.lastIndexOf(", ")));
    return loads.size() > 1 && loads.stream().allMatch(load -> load.endsWith(end)) ? end : "";
  }

  /**
   * Access patterns over HDFS: of one kind beside each other, so many as their names leave room.
   */
  private static List<Panel> patterns(Rows rows) {
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    for (String load : rows.values("load")) {
      if (load.startsWith(PATTERN)) {
        kinds.computeIfAbsent(load.split(WHO, 2)[0], kind -> new ArrayList<>()).add(load);
      }
    }
    List<Panel> panels = new ArrayList<>();
    kinds.forEach((kind, loads) -> {
      for (int from = 0; from < loads.size(); from += BESIDE) {
        Map<String, Figure> groups = new LinkedHashMap<>();
        for (String load : loads.subList(from, Math.min(from + BESIDE, loads.size()))) {
          groups.put(
              load.substring(Math.min(load.length(), kind.length() + WHO.length())),
              Figure.of("real_s", "real_least_s", "real_most_s", 1)
                  .where(row -> Rows.text(row, "load").equals(load)));
        }
        panels.add(rows.bars(kind, "s", groups, row -> true));
      }
    });
    return panels;
  }

  /** The paper's figures beside ours. */
  private static Panel paper(Panel ours) {
    List<Series> series = new ArrayList<>();
    for (Series one : ours.series()) {
      double[] seconds =
          switch (one.name()) {
            case "tcp" -> PSQL;
            case "shm" -> PSQL_PRELOADED;
            default -> new double[0];
          };
      List<Point> points = new ArrayList<>();
      for (double second : seconds) {
        points.add(new Point(points.size(), second, Double.NaN, Double.NaN, true));
      }
      series.add(new Series(one.name(), points));
    }
    Positions times = Positions.groups("", List.of("real", "client user", "client sys"));
    return new Panel(
        "The paper: psql over TCP, and over a preload library", "s", false, times, series);
  }
}
