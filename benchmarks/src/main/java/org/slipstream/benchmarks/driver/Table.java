package org.slipstream.benchmarks.driver;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.slipstream.benchmarks.programs.Mode;

/** Prints the rows for people, size by size as they come. */
final class Table {
  private static final int GAP = 2;

  private final PrintStream out;
  private final Plan plan;
  private final List<Column> columns;

  /**
   * One column.
   *
   * @param title the head, right above the figures
   * @param width characters
   * @param text what it shows of a row
   */
  private record Column(String title, int width, Function<Row, String> text) {
    String cell(String content) {
      return " ".repeat(Math.max(0, width - content.length()) + GAP) + content;
    }
  }

  Table(PrintStream out, Plan plan) {
    this.out = out;
    this.plan = plan;
    this.columns = columns(plan);
  }

  private static List<Column> columns(Plan plan) {
    List<Column> columns = new ArrayList<>();
    int width = plan.carriers().stream().mapToInt(c -> c.label().length()).max().orElse(0);
    columns.add(
        new Column("carrier", Math.max(7, width), row -> mark(row) + row.carrier().label()));
    switch (plan.exercise()) {
      case PING_PONG -> latency(columns, "round trips/s");
      case CONNECT -> latency(columns, "connections/s");
      case STREAM -> throughput(columns);
    }
    if (plan.exercise() == Exercise.CONNECT) {
      columns.add(new Column("time/TCP", 8, row -> Figures.ratio(1 / row.toTcp())));
    } else {
      boolean netty = plan.baseline() == Carrier.NETTY_EPOLL;
      columns.add(
          new Column(
              netty ? "vs epoll" : "vs TCP", netty ? 9 : 7, row -> Figures.ratio(row.toTcp())));
    }
    if (plan.carriers().contains(Carrier.RAW)) {
      columns.add(
          plan.exercise() == Exercise.STREAM
              ? new Column("of raw", 7, row -> Figures.percent(row.toRaw()))
              : new Column("time/raw", 8, row -> Figures.ratio(1 / row.toRaw())));
    }
    if (plan.intervalMicros() > 0 || plan.pairs() > 1 || plan.exercise() == Exercise.CONNECT) {
      columns.add(new Column("CPU us each", 11, row -> Figures.micros(row.cpuNanos())));
    }
    return columns;
  }

  private static void latency(List<Column> columns, String rate) {
    columns.add(new Column("p50 us", 8, row -> Figures.micros(row.p50())));
    columns.add(new Column("p99 us", 8, row -> Figures.micros(row.p99())));
    columns.add(new Column("p99.9 us", 8, row -> Figures.micros(row.p999())));
    columns.add(new Column(rate, 13, row -> Figures.count(row.perSecond())));
    columns.add(
        new Column(
            "rounds' p50 us",
            14,
            row ->
                Figures.micros(row.p50Spread().least())
                    + ".."
                    + Figures.micros(row.p50Spread().most())));
  }

  private static void throughput(List<Column> columns) {
    columns.add(new Column("MB/s", 8, row -> Figures.digits(row.bytesPerSecond() / 1e6)));
    columns.add(new Column("messages/s", 12, row -> Figures.count(row.perSecond())));
    columns.add(new Column("ns/message", 10, row -> Figures.count(row.p50())));
    columns.add(
        new Column(
            "rounds' MB/s",
            16,
            row ->
                Figures.digits(row.rateSpread().least() * row.size() / 1e6)
                    + ".."
                    + Figures.digits(row.rateSpread().most() * row.size() / 1e6)));
  }

  private static String mark(Row row) {
    return row.complaint() == null ? "" : "! ";
  }

  private String batch() {
    return plan.flush() == 0 ? "when not writable" : "every " + plan.flush() + " messages";
  }

  void head(String placement) {
    List<String> parts = new ArrayList<>();
    parts.add(
        switch (plan.exercise()) {
          case PING_PONG -> "Ping-pong";
          case STREAM -> "One-way stream";
          case CONNECT -> "Connect, one exchange, close";
        });
    boolean netty = plan.carriers().getFirst().isNetty();
    parts.add(netty ? "Netty, one event loop in each process" : plan.mode().label() + " mode");
    if (plan.busy() > 1) {
      parts.add(plan.busy() + " busy connections");
    }
    if (netty && plan.exercise() == Exercise.STREAM) {
      parts.add(plan.flush() == 1 ? "each message flushed" : "flushed " + batch());
    }
    if (plan.pairs() > 1) {
      parts.add(plan.pairs() + " pairs at once");
    }
    if (plan.intervalMicros() > 0) {
      parts.add("one exchange every " + plan.intervalMicros() + " us");
    }
    if (plan.idle() > 0 && plan.mode() == Mode.SELECTOR) {
      parts.add(plan.idle() + " idle connections beside the busy");
    }
    parts.add(
        String.format(
            Locale.ROOT, "%d rounds of %.2f s a row", plan.rounds(), plan.sliceMillis() / 1e3));
    out.println(String.join(", ", parts) + ";");
    out.println(placement + ".");
    out.println();
    StringBuilder line = new StringBuilder("%8s".formatted("size"));
    columns.forEach(column -> line.append(column.cell(column.title())));
    out.println(line);
  }

  void rows(List<Row> rows) {
    String size = Figures.size(rows.getFirst().size());
    for (Row row : rows) {
      StringBuilder line = new StringBuilder("%8s".formatted(size));
      columns.forEach(column -> line.append(column.cell(column.text().apply(row))));
      out.println(line);
      size = "";
    }
    out.flush();
  }

  void foot(List<Row> rows) {
    out.println();
    out.println(
        "Ratios are medians of the ratios within each round ("
            + (Summary.comparesRates(plan) ? "rates" : "p50")
            + "); the machine's speed drifts between rounds.");
    for (Row row : rows) {
      if (row.complaint() != null) {
        out.println(
            "! " + row.carrier().label() + " " + Figures.size(row.size()) + ": " + row.complaint());
      }
    }
    out.flush();
  }
}
