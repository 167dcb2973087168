package org.slipstream.benchmarks.plot;

import java.util.List;
import org.json.JSONObject;

/** Round trips, short connections and streams, over the size of a message. */
final class ExchangePlots {
  private static final double MICRO = 1e3;
  private static final double MEGA = 1e6;
  private static final Figure RATE =
      Figure.of("per_second", "per_second_least", "per_second_most", 1);

  private ExchangePlots() {}

  static Plot trips(String title, String each, List<Measured> files) {
    Rows rows = new Rows(files, List.of("carrier", "mode"), List.of("size"));
    Positions sizes = rows.logarithmic("size of a message", "size", Amounts::bytes);
    return plot(
        title,
        files,
        rows.panel(
            "Time of one, median",
            "µs",
            true,
            sizes,
            "size",
            row -> true,
            Figure.of("p50_ns", "p50_least_ns", "p50_most_ns", MICRO)),
        rows.panel(each, "per second", true, sizes, "size", row -> true, RATE));
  }

  static Plot streams(List<Measured> files) {
    Rows rows = new Rows(files, List.of("carrier", "mode"), List.of("size"));
    Positions sizes = rows.logarithmic("size of a write", "size", Amounts::bytes);
    return plot(
        "Streams in one direction",
        files,
        rows.panel(
            "Throughput",
            "MB/s",
            true,
            sizes,
            "size",
            row -> true,
            new Figure(
                row -> row.optDouble("bytes_per_second") / MEGA,
                row -> bytes(row, "per_second_least"),
                row -> bytes(row, "per_second_most"))),
        rows.panel("Messages", "per second", true, sizes, "size", row -> true, RATE));
  }

  private static double bytes(JSONObject row, String rate) {
    return row.optDouble(rate) * row.optDouble("size") / MEGA;
  }

  static Plot plot(String title, List<Measured> files, Panel... panels) {
    return new Plot(
        title,
        files.stream().map(Measured::remark).distinct().toList(),
        List.of(panels).stream().filter(panel -> !panel.isEmpty()).toList());
  }
}
