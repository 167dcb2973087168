package org.slipstream.benchmarks.driver;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What a crowd was like in several turns: medians with least and most, and memory as an amount that
 * a process needs once and an amount for each connection.
 */
final class CrowdTurns {
  private final Map<Key, List<Turn>> turns = new LinkedHashMap<>();

  private record Key(Carrier carrier, int connections) {}

  /**
   * One turn with new processes.
   *
   * @param onRing connections that were on the ring
   * @param perSecond connections made in a second
   * @param serverKib what the server's resident memory grew by, KiB, all connections together
   * @param clientKib the same of the client
   * @param p50 median round trip of the busy ones, nanoseconds
   * @param p99 the same, of 100 the slowest
   * @param trips round trips in a second
   * @param serverCpu CPU time of the server for each of them, nanoseconds, or NaN
   * @param clientCpu the same of the client
   */
  record Turn(
      double onRing,
      double perSecond,
      double serverKib,
      double clientKib,
      double p50,
      double p99,
      double trips,
      double serverCpu,
      double clientCpu) {}

  void add(Carrier carrier, int connections, Turn turn) {
    turns.computeIfAbsent(new Key(carrier, connections), k -> new ArrayList<>()).add(turn);
  }

  /** Whether each turn of an accelerated carrier had all its connections on the ring. */
  boolean isOnRing() {
    return turns.entrySet().stream().allMatch(entry -> isOnRing(entry.getKey(), entry.getValue()));
  }

  private static boolean isOnRing(Key key, List<Turn> all) {
    return !key.carrier.isAccelerated()
        || all.stream().allMatch(turn -> turn.onRing == key.connections);
  }

  /** Prints a line for each carrier and number, and one of memory for each carrier. */
  void print(PrintWriter out) {
    turns.forEach((key, all) -> print(out, key, all));
    turns.keySet().stream().map(Key::carrier).distinct().forEach(carrier -> memory(out, carrier));
    out.flush();
  }

  private static void print(PrintWriter out, Key key, List<Turn> all) {
    int n = key.connections;
    out.printf(
        Locale.ROOT,
        "%-9s %,9d %,9.0f %22s %20s %20s %20s %22s %28s %22s %22s%n",
        key.carrier.label(),
        n,
        Statistics.spread(figures(all, Turn::onRing)).least(),
        counts(all, Turn::perSecond),
        digits(all, t -> t.serverKib / n),
        digits(all, t -> t.clientKib / n),
        digits(all, t -> t.p50 / 1e3),
        digits(all, t -> t.p99 / 1e3),
        counts(all, Turn::trips),
        counts(all, Turn::serverCpu),
        counts(all, Turn::clientCpu));
  }

  static void header(PrintWriter out) {
    out.printf(
        "%-9s %9s %9s %22s %20s %20s %20s %22s %28s %22s %22s%n",
        "carrier",
        "connect.",
        "on ring",
        "connects/s",
        "server KiB each",
        "client KiB each",
        "p50 us",
        "p99 us",
        "round trips/s",
        "server CPU ns each",
        "client CPU ns each");
    out.flush();
  }

  /** The rows for other programs. */
  Stream<String> json(String mode, int busy) {
    return turns.entrySet().stream()
        .map(entry -> object(entry.getKey(), entry.getValue(), mode, busy));
  }

  private String object(Key key, List<Turn> all, String mode, int busy) {
    StringBuilder text = new StringBuilder();
    text.append("{\"carrier\":\"").append(key.carrier.label());
    text.append("\",\"mode\":\"").append(mode);
    text.append("\",\"connections\":").append(key.connections);
    JsonReport.number(text, "busy", Math.min(busy, key.connections));
    JsonReport.spread(text, "p50", "_ns", figures(all, Turn::p50));
    JsonReport.number(text, "p99_ns", median(all, Turn::p99));
    JsonReport.spread(text, "per_second", "", figures(all, Turn::trips));
    JsonReport.spread(text, "server_cpu_ns_per_exchange", "", figures(all, Turn::serverCpu));
    JsonReport.number(text, "client_cpu_ns_per_exchange", median(all, Turn::clientCpu));
    JsonReport.number(text, "connects_per_second", median(all, Turn::perSecond));
    JsonReport.number(text, "turns", all.size());
    List<Turn> stock =
        turns.entrySet().stream()
            .filter(e ->
                !e.getKey().carrier.isAccelerated() && e.getKey().connections == key.connections)
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(List.of());
    JsonReport.ratio(text, "times_tcp", median(all, Turn::trips) / median(stock, Turn::trips));
    text.append(",\"verified\":").append(isOnRing(key, all));
    return text.append('}').toString();
  }

  private static double median(List<Turn> all, ToDoubleFunction<Turn> figure) {
    return Statistics.median(figures(all, figure));
  }

  /** The line through the smallest and the largest crowd; needs two. */
  private void memory(PrintWriter out, Carrier carrier) {
    List<Key> keys = turns.keySet().stream().filter(k -> k.carrier == carrier).toList();
    Key small = keys.getFirst();
    Key large = keys.getLast();
    if (large.connections <= small.connections) {
      return;
    }
    Line server = line(small, large, Turn::serverKib);
    Line client = line(small, large, Turn::clientKib);
    out.printf(
        Locale.ROOT,
        "%s: memory of the server %,.0f KiB once and %.1f KiB for each connection, of the client %,.0f"
            + " and %.1f%n",
        carrier.label(),
        server.once,
        server.each,
        client.once,
        client.each);
  }

  private Line line(Key small, Key large, ToDoubleFunction<Turn> kib) {
    return Line.through(
        small.connections,
        Statistics.median(figures(turns.getOrDefault(small, List.of()), kib)),
        large.connections,
        Statistics.median(figures(turns.getOrDefault(large, List.of()), kib)));
  }

  /**
   * A straight line.
   *
   * @param once at zero connections
   * @param each for each of them
   */
  record Line(double once, double each) {
    static Line through(double x1, double y1, double x2, double y2) {
      double each = (y2 - y1) / (x2 - x1);
      return new Line(y1 - each * x1, each);
    }
  }

  private static String counts(List<Turn> all, ToDoubleFunction<Turn> figure) {
    return text(figures(all, figure), Figures::count);
  }

  private static String digits(List<Turn> all, ToDoubleFunction<Turn> figure) {
    return text(figures(all, figure), Figures::digits);
  }

  /** The median, and least and most behind it if there are several. */
  private static String text(List<Double> figures, DoubleFunction<String> format) {
    Row.Spread spread = Statistics.spread(figures);
    String median = format.apply(Statistics.median(figures));
    return figures.size() == 1
        ? median
        : median + " (" + format.apply(spread.least()) + ".." + format.apply(spread.most()) + ")";
  }

  private static List<Double> figures(List<Turn> all, ToDoubleFunction<Turn> figure) {
    return all.stream().map(figure::applyAsDouble).toList();
  }
}
