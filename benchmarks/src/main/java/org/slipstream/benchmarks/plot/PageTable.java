package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.json.JSONObject;

/**
 * The rows of pages as a table of a document: a line for each file, size and number of clients,
 * whose cells hold the figures of all servers in the same order.
 */
final class PageTable {
  private static final double MICRO = 1e3;
  private static final String NONE = "–";
  private static final String BETWEEN = " / ";

  private PageTable() {}

  static List<String> lines(Measured file) {
    Map<String, Map<String, JSONObject>> lines = new LinkedHashMap<>();
    List<String> servers = new ArrayList<>();
    for (JSONObject row : file.rows()) {
      String place =
          "| %s | %s | %d |"
              .formatted(
                  Rows.text(row, "file"),
                  Amounts.bytes(row.optDouble("size")),
                  row.optInt("clients"));
      String server = server(row);
      if (!servers.contains(server)) {
        servers.add(server);
      }
      lines.computeIfAbsent(place, p -> new LinkedHashMap<>()).put(server, row);
    }
    List<String> table = new ArrayList<>();
    String measured = file.remark().replaceFirst("^(.*?) · ", "`$1`, ");
    table.add(measured + ". Each cell: " + String.join(BETWEEN, servers) + ".");
    table.add("");
    table.add(
        "| file | page | clients | p50, µs | p99, µs | IOPS | server CPU, µs | clients CPU, µs"
            + " | IOPS/core, times sendfile's | p50, times sendfile's |");
    table.add("|---|---|---|---|---|---|---|---|---|---|");
    lines.forEach((place, rows) -> {
      Function<Function<JSONObject, String>, String> cell =
          figure ->
              servers.stream()
                  .map(server -> rows.containsKey(server) ? figure.apply(rows.get(server)) : NONE)
                  .collect(Collectors.joining(BETWEEN, " ", " |"));
      table.add(
          place
              + cell.apply(row -> number(row, "p50_ns", MICRO) + mark(row))
              + cell.apply(row -> number(row, "p99_ns", MICRO))
              + cell.apply(row -> number(row, "per_second", 1))
              + cell.apply(row -> number(row, "server_cpu_ns", MICRO))
              + cell.apply(row -> number(row, "client_cpu_ns", MICRO))
              + cell.apply(row -> ratio(row, "per_server_core_times_sendfile"))
              + cell.apply(row -> ratio(row, "p50_times_sendfile")));
    });
    return table;
  }

  private static String server(JSONObject row) {
    String carrier =
        switch (Rows.text(row, "carrier")) {
          case "tcp" -> "TCP";
          case "shm" -> "Slipstream";
          default -> Rows.text(row, "carrier");
        };
    return carrier + " with " + Rows.text(row, "serve");
  }

  /** A row that did not run wholly on the ring is marked, as by the command. */
  private static String mark(JSONObject row) {
    return row.optBoolean("verified", true) ? "" : "!";
  }

  private static String number(JSONObject row, String name, double divisor) {
    double value = row.optDouble(name) / divisor;
    return Double.isFinite(value) ? Amounts.full(value) : NONE;
  }

  private static String ratio(JSONObject row, String name) {
    double value = row.optDouble(name);
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%.2f", value) : NONE;
  }
}
