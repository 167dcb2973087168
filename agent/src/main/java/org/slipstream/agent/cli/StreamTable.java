package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table of {@code slipstream ps}, as wide as its content. */
final class StreamTable {
  private static final List<String> HEAD =
      List.of(
          "PID",
          "PROGRAM",
          "ROLE",
          "LOCAL",
          "REMOTE",
          "CARRIER",
          "STATE",
          "OUT",
          "IN",
          "TCP-OUT",
          "TCP-IN",
          "MSG-OUT",
          "MSG-IN",
          "RING-OUT",
          "RING-IN",
          "SPINS",
          "WAKE-UPS");
  private static final int LEFT_COLUMNS = 7;
  private static final int MAX_PROGRAM = 24;

  private StreamTable() {}

  /**
   * Makes the lines.
   *
   * @param rows the streams
   * @param before the same some time ago; empty for totals instead of rates
   * @param seconds how long ago
   */
  static List<String> lines(List<StreamRow> rows, List<StreamRow> before, double seconds) {
    Map<String, StreamRow> known = new HashMap<>();
    before.forEach(row -> known.put(row.key(), row));
    List<List<String>> cells = new ArrayList<>();
    cells.add(seconds > 0 ? rateHead() : HEAD);
    for (StreamRow row : rows) {
      StreamRow old = known.get(row.key());
      cells.add(cells(row, old == null ? row : old, seconds));
    }
    int[] widths = new int[HEAD.size()];
    for (List<String> line : cells) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < cells.size(); i++) {
      String why = i == 0 ? "WHY PLAIN" : rows.get(i - 1).why();
      lines.add((line(cells.get(i), widths) + "  " + why).stripTrailing());
    }
    return lines;
  }

  private static List<String> rateHead() {
    return HEAD.stream()
        .map(h -> HEAD.indexOf(h) < LEFT_COLUMNS || h.startsWith("RING") ? h : h + "/s")
        .toList();
  }

  private static List<String> cells(StreamRow row, StreamRow old, double seconds) {
    String program = row.text("program");
    program = program.substring(program.lastIndexOf('.', program.length() - 5) + 1);
    List<String> cells =
        new ArrayList<>(
            Arrays.asList(
                row.text("pid"),
                program.substring(0, Math.min(MAX_PROGRAM, program.length())),
                row.text("role"),
                row.text("local"),
                row.text("remote"),
                row.text("carrier"),
                row.text("state")));
    for (String counter :
        List.of(
            "ringBytesOut",
            "ringBytesIn",
            "plainBytesOut",
            "plainBytesIn",
            "messagesOut",
            "messagesIn")) {
      cells.add(amount(row.number(counter), old.number(counter), seconds));
    }
    for (String way : List.of("Out", "In")) {
      long size = row.number("ringSize" + way);
      cells.add(size == 0 ? "-" : row.number("ringUsed" + way) * 100 / size + "%");
    }
    cells.add(amount(row.sum("spins"), old.sum("spins"), seconds));
    cells.add(amount(row.sum("wakeUps"), old.sum("wakeUps"), seconds));
    return cells;
  }

  private static String amount(long now, long before, double seconds) {
    return seconds > 0 ? human((long) ((now - before) / seconds)) : human(now);
  }

  /** At most five characters. */
  static String human(long n) {
    if (n < 10_000) {
      return Long.toString(n);
    }
    double value = n;
    int unit = 0;
    while (value >= 999.5 && unit < 4) {
      value /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT,
        value < 9.995 ? "%.2f%c" : value < 99.95 ? "%.1f%c" : "%.0f%c",
        value,
        " kMGT".charAt(unit));
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String pad = " ".repeat(widths[i] - cells.get(i).length());
      line.append(i == 0 ? "" : "  ");
      line.append(i < LEFT_COLUMNS ? cells.get(i) + pad : pad + cells.get(i));
    }
    return line.toString();
  }
}
