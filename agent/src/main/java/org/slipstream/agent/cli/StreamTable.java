package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.Counter.Kind;
import org.slipstream.core.status.StreamRow;

/** The table of {@code slipstream ps}, as wide as its content. */
final class StreamTable {
  private static final List<String> TEXTS =
      List.of("pid", "program", "role", "local", "remote", "carrier", "doorbell", "state");
  private static final List<String> WAYS = List.of("Out", "In");
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
    cells.add(head(seconds > 0 ? "/s" : ""));
    for (StreamRow row : rows) {
      StreamRow old = known.get(row.key());
      cells.add(cells(row, old == null ? row : old, seconds));
    }
    return Columns.lines(cells, TEXTS.size());
  }

  private static List<String> head(String rate) {
    List<String> head = new ArrayList<>();
    TEXTS.forEach(name -> head.add(name.toUpperCase(Locale.ROOT)));
    for (Counter counter : Counter.OF_DIRECTION) {
      String column = counter.column();
      if (counter.kind() == Kind.BOTH_WAYS) {
        head.add(column + rate);
      } else if (counter != Counter.RING_SIZE) {
        String unit = counter.kind() == Kind.LEVEL ? "" : rate;
        for (String way : WAYS) {
          head.add((column.isEmpty() ? "" : column + "-") + way.toUpperCase(Locale.ROOT) + unit);
        }
      }
    }
    head.add("WHY PLAIN");
    return head;
  }

  private static List<String> cells(StreamRow row, StreamRow old, double seconds) {
    List<String> cells = new ArrayList<>();
    TEXTS.forEach(name -> cells.add(name.equals("program") ? program(row) : row.text(name)));
    for (Counter counter : Counter.OF_DIRECTION) {
      String key = counter.key();
      if (counter.kind() == Kind.BOTH_WAYS) {
        cells.add(amount(row.sum(key), old.sum(key), seconds));
      } else if (counter != Counter.RING_SIZE) {
        for (String way : WAYS) {
          cells.add(
              counter == Counter.RING_USED
                  ? full(row, way)
                  : amount(row.number(key + way), old.number(key + way), seconds));
        }
      }
    }
    cells.add(row.why());
    return cells;
  }

  static String program(StreamRow row) {
    String program = row.text("program");
    program = program.substring(program.lastIndexOf('.', program.length() - 5) + 1);
    return program.substring(0, Math.min(MAX_PROGRAM, program.length()));
  }

  /** How full a ring is. */
  private static String full(StreamRow row, String way) {
    long size = row.number(Counter.RING_SIZE.key() + way);
    return size == 0 ? "-" : row.number(Counter.RING_USED.key() + way) * 100 / size + "%";
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
}
