package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.json.JSONObject;

/** A server of files, over the number of its clients, as the FlashNet paper draws it. */
final class PagePlots {
  private static final double MICRO = 1e3;

  private PagePlots() {}

  static Plot plot(List<Measured> files) {
    Rows rows = new Rows(files, List.of("carrier", "serve"), List.of("file", "size", "clients"));
    Positions clients = rows.logarithmic("clients", "clients", Amounts::tick);
    List<Panel> panels = new ArrayList<>();
    for (String file : rows.values("file")) {
      for (String size : rows.values("size")) {
        Predicate<JSONObject> which =
            row -> Rows.text(row, "file").equals(file) && Rows.text(row, "size").equals(size);
        String what = ", " + Amounts.bytes(Double.parseDouble(size)) + ", " + file;
        panels.add(
            rows.panel(
                "Pages for a second of the server's CPU" + what,
                "IOPS per core",
                false,
                clients,
                "clients",
                which,
                Figure.of("per_server_core", "per_server_core_least", "per_server_core_most", 1)));
        panels.add(
            rows.panel(
                "Request to last byte, median" + what,
                "µs",
                true,
                clients,
                "clients",
                which,
                Figure.of("p50_ns", "p50_least_ns", "p50_most_ns", MICRO)));
      }
    }
    return ExchangePlots.plot("Random reads of a file", files, panels.toArray(Panel[]::new));
  }
}
