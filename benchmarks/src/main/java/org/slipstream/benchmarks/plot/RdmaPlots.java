package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.json.JSONObject;

/** The three figures of the PVFS paper, and round trips and streams beside other programs'. */
final class RdmaPlots {
  private static final Figure VALUE = Figure.of("value", "value_least", "value_most", 1);

  private final Rows rows;
  private final List<Panel> panels = new ArrayList<>();

  private RdmaPlots(Rows rows) {
    this.rows = rows;
  }

  static Plot plot(List<Measured> files) {
    RdmaPlots plots =
        new RdmaPlots(new Rows(files, List.of("carrier"), List.of("figure", "size", "reuse")));
    plots.lines("message", "A message in a burst of 64", "µs", "size of a message");
    plots.lines("piece", "A transfer of 1 MiB, in pieces", "MiB/s", "size of a piece");
    Map<String, Figure> reuses = new LinkedHashMap<>();
    for (String reuse : plots.rows.values("reuse")) {
      if (!reuse.isEmpty()) {
        reuses.put(reuse + " % of it used before", only("reuse", reuse));
      }
    }
    plots.bars("reuse", "A write of 256 KiB from the program's memory", "µs", reuses);
    plots.bars("round trip", "A round trip of 64 B", "µs", Map.of("", VALUE));
    plots.bars("stream", "A stream of 1 MiB messages", "MiB/s", Map.of("", VALUE));
    return ExchangePlots.plot(
        "Software RDMA in a virtual machine with two processors",
        files,
        plots.panels.toArray(Panel[]::new));
  }

  private static Predicate<JSONObject> which(String figure) {
    return row -> Rows.text(row, "figure").equals(figure);
  }

  private static Figure only(String key, String value) {
    Predicate<JSONObject> there = row -> Rows.text(row, key).equals(value);
    return new Figure(
        row -> there.test(row) ? VALUE.median().applyAsDouble(row) : Double.NaN,
        VALUE.least(),
        VALUE.most());
  }

  private void lines(String figure, String title, String unit, String label) {
    if (rows.values("figure").contains(figure)) {
      Positions sizes = rows.logarithmic(label, "size", Amounts::bytes, which(figure));
      boolean logarithmic = unit.equals("µs");
      panels.add(rows.panel(title, unit, logarithmic, sizes, "size", which(figure), VALUE));
    }
  }

  private void bars(String figure, String title, String unit, Map<String, Figure> groups) {
    panels.add(rows.bars(title, unit, groups, which(figure)));
  }
}
