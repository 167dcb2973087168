package org.slipstream.benchmarks.driver;

import java.util.Collection;
import java.util.Locale;

/** A row for other programs. */
final class JsonReport {
  private JsonReport() {}

  static String object(Row row) {
    StringBuilder text = new StringBuilder();
    text.append("{\"carrier\":\"").append(row.carrier().label());
    text.append("\",\"mode\":\"").append(row.mode().label());
    text.append("\",\"size\":").append(row.size());
    number(text, "p50_ns", row.p50());
    number(text, "p99_ns", row.p99());
    number(text, "p999_ns", row.p999());
    number(text, "per_second", row.perSecond());
    number(text, "bytes_per_second", row.bytesPerSecond());
    text.append(",\"rounds\":").append(row.rounds());
    number(text, "p50_least_ns", row.p50Spread().least());
    number(text, "p50_most_ns", row.p50Spread().most());
    number(text, "per_second_least", row.rateSpread().least());
    number(text, "per_second_most", row.rateSpread().most());
    number(text, "cpu_ns_per_exchange", row.cpuNanos());
    ratio(text, "times_tcp", row.toTcp());
    ratio(text, "times_raw", row.toRaw());
    text.append(",\"verified\":").append(row.complaint() == null);
    return text.append('}').toString();
  }

  static void number(StringBuilder text, String key, double value) {
    member(text, key, Double.isFinite(value) ? Long.toString(Math.round(value)) : "null");
  }

  /** A figure of several turns: its median, with least and most. */
  static void spread(StringBuilder text, String name, String unit, Collection<Double> figures) {
    number(text, name + unit, Statistics.median(figures));
    number(text, name + "_least" + unit, Statistics.spread(figures).least());
    number(text, name + "_most" + unit, Statistics.spread(figures).most());
  }

  static void ratio(StringBuilder text, String key, double value) {
    member(text, key, Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "null");
  }

  private static void member(StringBuilder text, String key, String value) {
    text.append(",\"").append(key).append("\":").append(value);
  }
}
