package org.slipstream.benchmarks.papers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.json.JSONObject;

/** What was measured, in the terms in which a paper says its result. */
final class Beside {
  private static final String TCP = "tcp";

  /** Not the JDK's sockets, but what a program's makers chose in their place. */
  private static final String SHIPPED = "shipped";

  private static final int PAGE = 4096;

  private Beside() {}

  /** Returns lines for the rows of an experiment's commands. */
  static List<String> lines(String paper, List<JSONObject> rows) {
    return switch (paper) {
      case "pages" -> pages(rows);
      case "pingpong" -> trips(rows);
      default -> times(rows);
    };
  }

  private static List<String> pages(List<JSONObject> rows) {
    List<String> lines = new ArrayList<>();
    for (String file : List.of("cached", "direct")) {
      Predicate<JSONObject> page =
          row -> row.optString("file").equals(file) && row.optInt("size") == PAGE;
      Optional<JSONObject> stock =
          most(rows.stream().filter(page).filter(row -> is(row, TCP, "transferTo")));
      Optional<JSONObject> ours =
          most(rows.stream().filter(page).filter(row -> is(row, "shm", "transferTo")));
      if (stock.isPresent() && ours.isPresent()) {
        lines.add(
            line(
                "4 KiB, " + file + ", IOPS per core at its best",
                stock.get().optDouble("per_server_core"),
                ours.get().optDouble("per_server_core")));
      }
    }
    return lines;
  }

  private static boolean is(JSONObject row, String carrier, String serve) {
    return row.optString("carrier").equals(carrier) && row.optString("serve").equals(serve);
  }

  private static Optional<JSONObject> most(Stream<JSONObject> rows) {
    return rows.max(Comparator.comparingDouble(row -> row.optDouble("per_server_core", 0)));
  }

  /** Round trips of the smallest message; the rows of streams have one, too, and a rate. */
  private static List<String> trips(List<JSONObject> rows) {
    List<String> lines = new ArrayList<>();
    int least = rows.stream().mapToInt(row -> row.optInt("size")).min().orElse(0);
    List<JSONObject> smallest = rows.stream().filter(row -> row.optInt("size") == least).toList();
    double stock = rate(smallest, TCP);
    for (JSONObject row : smallest) {
      String carrier = row.optString("carrier");
      if (!carrier.equals(TCP)) {
        lines.add(
            line(
                "round trips per second of %d B, %s".formatted(least, carrier),
                stock,
                row.optDouble("per_second")));
      }
    }
    return lines;
  }

  private static double rate(List<JSONObject> rows, String carrier) {
    return rows.stream()
        .filter(row -> row.optString("carrier").equals(carrier))
        .mapToDouble(row -> row.optDouble("per_second"))
        .findFirst()
        .orElse(Double.NaN);
  }

  private static List<String> times(List<JSONObject> rows) {
    List<String> lines = new ArrayList<>();
    for (JSONObject row : rows) {
      if (row.optString("carrier").equals(TCP)) {
        rows.stream()
            .filter(other ->
                !other.optString("carrier").equals(TCP)
                    && !other.optString("carrier").equals(SHIPPED)
                    && other.optString("load").equals(row.optString("load"))
                    && other.optInt("cores") == row.optInt("cores"))
            .forEach(other -> {
              String load = row.optString("load") + ", " + row.optInt("cores") + " cores, ";
              for (String time : List.of("real", "client_user", "client_system")) {
                lines.add(
                    line(
                        load + time.replace('_', ' ') + " seconds",
                        row.optDouble(time + "_s"),
                        other.optDouble(time + "_s")));
              }
            });
      }
    }
    return lines;
  }

  private static String line(String what, double stock, double ours) {
    String format =
        stock < 100
            ? "%s: TCP %,.2f, Slipstream %,.2f, %.2f times"
            : "%s: TCP %,.0f, Slipstream %,.0f, %.2f times";
    return String.format(Locale.ROOT, format, what, stock, ours, ours / stock);
  }
}
