package org.slipstream.benchmarks.driver;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.json.JSONObject;

/** The rows of pages, as a table for people and as JSON for programs. */
final class PageReport {
  private static final String LINE =
      "%-7s %8s %7s  %-5s %-11s %9s %9s %9s %9s %12s %12s %11s %14s %12s%n";

  private PageReport() {}

  static void head(PrintWriter out) {
    out.printf(
        LINE,
        "file",
        "size",
        "clients",
        "over",
        "server",
        "p50 us",
        "p99 us",
        "IOPS",
        "MB/s",
        "server us",
        "clients us",
        "IOPS/core",
        "of sendfile's",
        "p50 of its");
    out.flush();
  }

  static void rows(PrintWriter out, List<PageRow> rows) {
    for (PageRow row : rows) {
      out.printf(
          LINE,
          (row.complaint() == null ? "" : "! ") + row.way().label(),
          Figures.size(row.size()),
          row.clients(),
          row.server().carrier().label(),
          row.server().serve(),
          Figures.micros(row.p50()),
          Figures.micros(row.p99()),
          Figures.count(row.perSecond()),
          Figures.count(row.bytesPerSecond() / 1e6),
          Figures.micros(row.serverCpu()),
          Figures.micros(row.clientCpu()),
          Figures.count(row.perCore()),
          Figures.ratio(row.perCoreToSendfile()),
          Figures.ratio(row.timeToSendfile()));
    }
    out.flush();
  }

  static void foot(PrintWriter out, List<PageRow> rows) {
    out.println();
    out.println(
        "server us and clients us: CPU time for each answer. IOPS/core: answers for a second of the"
            + " server's CPU time. Ratios: medians of the ratios within each round, to tcp transferTo.");
    for (PageRow row : rows) {
      if (row.complaint() != null) {
        out.printf(
            "! %s %s, %d clients, %s: %s%n",
            row.way().label(),
            Figures.size(row.size()),
            row.clients(),
            row.server().serve(),
            row.complaint());
      }
    }
    out.flush();
  }

  static String object(PageRow row) {
    StringBuilder text = new StringBuilder();
    text.append("{\"file\":").append(JSONObject.quote(row.way().label()));
    text.append(",\"carrier\":").append(JSONObject.quote(row.server().carrier().label()));
    text.append(",\"serve\":").append(JSONObject.quote(row.server().serve()));
    text.append(",\"size\":").append(row.size());
    text.append(",\"clients\":").append(row.clients());
    number(text, "p50_ns", row.p50(), "%.0f");
    number(text, "p50_least_ns", row.time().least(), "%.0f");
    number(text, "p50_most_ns", row.time().most(), "%.0f");
    number(text, "p99_ns", row.p99(), "%.0f");
    number(text, "per_second", row.perSecond(), "%.0f");
    number(text, "per_second_least", row.rate().least(), "%.0f");
    number(text, "per_second_most", row.rate().most(), "%.0f");
    number(text, "bytes_per_second", row.bytesPerSecond(), "%.0f");
    number(text, "server_cpu_ns", row.serverCpu(), "%.0f");
    number(text, "client_cpu_ns", row.clientCpu(), "%.0f");
    number(text, "per_server_core", row.perCore(), "%.0f");
    number(text, "per_server_core_least", row.core().least(), "%.0f");
    number(text, "per_server_core_most", row.core().most(), "%.0f");
    number(text, "per_server_core_times_sendfile", row.perCoreToSendfile(), "%.4f");
    number(text, "p50_times_sendfile", row.timeToSendfile(), "%.4f");
    text.append(",\"verified\":").append(row.complaint() == null);
    return text.append('}').toString();
  }

  private static void number(StringBuilder text, String key, double value, String format) {
    text.append(",\"").append(key).append("\":");
    text.append(Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "null");
  }
}
