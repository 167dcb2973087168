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

  /** Before the names of what was measured in a virtual machine. */
  private static final String GUEST = "guest-";

  /** Behind the carriers of jobs whose JVMs start from a cache. */
  private static final String CACHED = "-aot";

  /** Not the JDK's sockets, but what a program's makers chose in their place. */
  private static final String SHIPPED = "shipped";

  private static final int PAGE = 4096;

  /** Those of a load of one size; the last four are of new JVMs that say so. */
  private static final List<String> TIMES =
      List.of("real", "client_user", "client_system", "start", "compilers", "sort", "sort_start");

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
    for (JSONObject row : smallest) {
      String carrier = row.optString("carrier");
      double stock = rate(smallest, carrier.startsWith(GUEST) ? GUEST + TCP : TCP);
      if (!carrier.endsWith(TCP)) {
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
      String stock = row.optString("carrier");
      if (stock.equals(TCP) || stock.equals(TCP + CACHED)) {
        rows.stream()
            .filter(other ->
                isBeside(stock, other.optString("carrier"))
                    && other.optString("load").equals(row.optString("load"))
                    && other.optInt("cores") == row.optInt("cores"))
            .forEach(other -> addTimes(row, other, lines));
      }
      if (stock.equals(TCP)) {
        wire(row).ifPresent(lines::add);
      }
    }
    return lines;
  }

  /** Whether the two differ in what carries the bytes only. */
  private static boolean isBeside(String stock, String carrier) {
    return !carrier.startsWith(TCP)
        && !carrier.equals(SHIPPED)
        && carrier.endsWith(CACHED) == stock.endsWith(CACHED);
  }

  private static void addTimes(JSONObject row, JSONObject other, List<String> lines) {
    String carrier = other.optString("carrier");
    String how =
        carrier.endsWith(CACHED)
            ? "with an AOT cache, "
            : carrier.equals("ntb") ? "over NTB, " : "";
    String load = row.optString("load") + ", " + row.optInt("cores") + " cores, " + how;
    for (String time : TIMES) {
      if (row.has(time + "_s")) {
        lines.add(
            line(
                load + time.replace('_', ' ') + " seconds",
                row.optDouble(time + "_s"),
                other.optDouble(time + "_s")));
      }
    }
  }

  /** What a carrier can change of a load on TCP, if its row says how much crosses sockets. */
  private static Optional<String> wire(JSONObject row) {
    String load = row.optString("load") + ", " + row.optInt("cores") + " cores, ";
    if (row.has("wire_mb")) {
      double kernel = row.optDouble("client_system_s") + row.optDouble("server_system_s");
      double all = kernel + row.optDouble("client_user_s") + row.optDouble("server_user_s");
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s%,.0f MB cross the clients' sockets; the kernel has %.0f %% of the processor time,"
                  + " files and memory included",
              load,
              row.optDouble("wire_mb"),
              100 * kernel / all));
    }
    if (row.has("fetch_wait_s")) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s%,.0f MB come from the other executor; tasks wait for blocks for %.1f %% of their"
                  + " time",
              load,
              row.optDouble("remote_mb"),
              100 * row.optDouble("fetch_wait_s") / row.optDouble("task_s")));
    }
    return Optional.empty();
  }

  private static String line(String what, double stock, double ours) {
    String format =
        stock < 100
            ? "%s: TCP %,.2f, Slipstream %,.2f, %.2f times"
            : "%s: TCP %,.0f, Slipstream %,.0f, %.2f times";
    return String.format(Locale.ROOT, format, what, stock, ours, ours / stock);
  }
}
