package org.slipstream.agent.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slipstream.agent.trial.Carried.Group;

/** What two turns of a program are made into: a page for people, one line of JSON for programs. */
public final class TrialReport {
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

  /** Until then HTTP servers gain nothing (docs/SERVERS.md, the first half minute). */
  private static final long YOUNG_MILLIS = 20_000;

  private static final String ENDED_HERE = "by try";

  private TrialReport() {}

  /**
   * Makes the page.
   *
   * @param off without Slipstream
   * @param on with it; null if it was not run so
   * @return its lines
   */
  public static List<String> page(Turn off, @Nullable Turn on) {
    List<String> lines = new ArrayList<>();
    lines.add(row("", "off", on == null ? "" : "on"));
    lines.add(row("ran for", seconds(off.millis()), on == null ? "" : seconds(on.millis())));
    lines.add(
        row(
            "CPU in the programs",
            seconds(off.cpu().userMillis()),
            on == null ? "" : seconds(on.cpu().userMillis())));
    lines.add(
        row(
            "CPU in the kernel",
            seconds(off.cpu().systemMillis()),
            on == null ? "" : seconds(on.cpu().systemMillis())));
    if (off.calls().areKnown()) {
      lines.add(row("reads and writes", calls(off.calls()), on == null ? "" : calls(on.calls())));
    }
    if (off.switches().areKnown()) {
      lines.add(
          row(
              "voluntary context switches",
              count(off.switches().voluntary()),
              on == null ? "" : count(on.switches().voluntary())));
    }
    lines.add(row("ended", end(off.exitCode()), on == null ? "" : end(on.exitCode())));
    if (off.serverCode() != null || (on != null && on.serverCode() != null)) {
      lines.add(row("server ended", end(off.serverCode()), on == null ? "" : end(on.serverCode())));
    }
    lines.add("");
    if (on == null) {
      lines.add("It fails without Slipstream, and so was not run with it.");
      return lines;
    }
    streams(lines, on.carried());
    if (Math.min(off.millis(), on.millis()) < YOUNG_MILLIS) {
      lines.add("");
      lines.add(
          "A run of less than 20 s shows the start of the JVM and its compilers more than the");
      lines.add("streams: --seconds 60, or more work, shows what a warm program gains.");
    }
    if (on.failed()) {
      lines.add("");
      lines.add("It fails with Slipstream only: please report that, with what it printed.");
    }
    return lines;
  }

  private static void streams(List<String> lines, Carried carried) {
    if (carried.processes() == 0) {
      lines.add(
          "No process of it was seen with Slipstream: it used no socket, ran for less than a");
      lines.add(
          "look (0.2 s), is no Java from 25 on, sets slipstream.dir (give it as --dir), or said");
      lines.add("above why Slipstream is off.");
      return;
    }
    lines.add(
        "Carried, of "
            + (carried.processes() == 1 ? "1 process" : carried.processes() + " processes")
            + "; a stream between two of them counts at both ends:");
    for (Group group : carried.byCarrier()) {
      lines.add(row("  " + group.name(), streams(group.streams()), bytes(group.bytes())));
    }
    Group unseen = carried.unseen();
    if (unseen.streams() > 0) {
      lines.add(row("  too short to be seen", streams(unseen.streams()), bytes(unseen.bytes())));
    }
    List<Group> reasons = carried.reasons();
    if (!reasons.isEmpty()) {
      lines.add("");
      lines.add("Stayed on TCP, because:");
      for (Group group : reasons) {
        lines.add(
            String.format(
                Locale.ROOT,
                "  %-14s %9s   %s",
                streams(group.streams()),
                bytes(group.bytes()),
                group.name()));
      }
    }
  }

  private static String row(String name, String first, String second) {
    return String.format(Locale.ROOT, "%-26s %12s %12s", name, first, second).stripTrailing();
  }

  private static String end(@Nullable Integer code) {
    return code == null ? ENDED_HERE : "with " + code;
  }

  private static String calls(KernelCalls calls) {
    return count(calls.reads() + calls.writes());
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
  }

  private static String streams(long streams) {
    return streams + (streams == 1 ? " stream" : " streams");
  }

  /** Three digits and a decimal unit. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    String format =
        unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, format, value, UNITS[unit]);
  }

  /**
   * Makes the line of JSON.
   *
   * @param off without Slipstream
   * @param on with it; null if it was not run so
   * @return one object
   */
  public static String json(Turn off, @Nullable Turn on) {
    return "{\"off\":"
        + json(off)
        + ",\"on\":"
        + (on == null ? "null" : json(on))
        + (on == null ? "" : "," + json(on.carried()))
        + "}";
  }

  private static String json(Turn turn) {
    return String.format(
        Locale.ROOT,
        "{\"seconds\":%.3f,\"userSeconds\":%.2f,\"systemSeconds\":%.2f,\"reads\":%s,\"writes\":%s,\"voluntarySwitches\":%s,\"exitCode\":%s,\"serverCode\":%s}",
        turn.millis() / 1000.0,
        turn.cpu().userMillis() / 1000.0,
        turn.cpu().systemMillis() / 1000.0,
        turn.calls().areKnown() ? turn.calls().reads() : null,
        turn.calls().areKnown() ? turn.calls().writes() : null,
        turn.switches().areKnown() ? turn.switches().voluntary() : null,
        turn.exitCode(),
        turn.serverCode());
  }

  private static String json(Carried carried) {
    return "\"processes\":"
        + carried.processes()
        + ",\"carriers\":"
        + json(carried.byCarrier())
        + ",\"tooShort\":"
        + json(List.of(carried.unseen()))
        + ",\"reasons\":"
        + json(carried.reasons());
  }

  /** The names have been read from JSON, and have no character in them that ends a string. */
  private static String json(List<Group> groups) {
    return groups.stream()
        .map(group ->
            "{\"name\":\""
                + group.name()
                + "\",\"streams\":"
                + group.streams()
                + ",\"bytes\":"
                + group.bytes()
                + "}")
        .collect(Collectors.joining(",", "[", "]"));
  }
}
