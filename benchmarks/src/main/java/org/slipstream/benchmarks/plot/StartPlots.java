package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The first moments of a process. */
final class StartPlots {
  private static final double MILLI = 1e6;

  private StartPlots() {}

  static Plot plot(List<Measured> files) {
    Rows rows = new Rows(files, List.of("row"), List.of("api", "exchanges"));
    Map<String, Figure> figures = new LinkedHashMap<>();
    group(figures, "start to main", "main");
    group(figures, "first connect", "connect");
    group(figures, "CPU until then", "cpu");
    group(figures, "first exchanges", "exchanges");
    List<Panel> panels = new ArrayList<>();
    for (String api : rows.values("api")) {
      panels.add(rows.bars(api, "ms", figures, row -> Rows.text(row, "api").equals(api)));
    }
    return ExchangePlots.plot("A new process", files, panels.toArray(Panel[]::new));
  }

  private static void group(Map<String, Figure> figures, String name, String key) {
    figures.put(name, Figure.of(key + "_ns", key + "_least_ns", key + "_most_ns", MILLI));
  }
}
