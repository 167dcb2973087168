package org.slipstream.benchmarks.plot;

import java.util.List;

/** One server, over its number of connections. */
final class CrowdPlots {
  private static final double MICRO = 1e3;

  private CrowdPlots() {}

  static Plot plot(List<Measured> files) {
    Rows rows = new Rows(files, List.of("carrier", "mode"), List.of("connections"));
    Positions connections = rows.logarithmic("connections", "connections", Amounts::tick);
    return ExchangePlots.plot(
        "Many connections to one server",
        files,
        rows.panel(
            "Round trips of all busy ones",
            "per second",
            true,
            connections,
            "connections",
            row -> true,
            Figure.of("per_second", "per_second_least", "per_second_most", 1)),
        rows.panel(
            "Round trip, median",
            "µs",
            true,
            connections,
            "connections",
            row -> true,
            Figure.of("p50_ns", "p50_least_ns", "p50_most_ns", MICRO)),
        rows.panel(
            "CPU time of the server for a round trip",
            "µs",
            true,
            connections,
            "connections",
            row -> true,
            Figure.of(
                "server_cpu_ns_per_exchange",
                "server_cpu_ns_per_exchange_least",
                "server_cpu_ns_per_exchange_most",
                MICRO)));
  }
}
