package org.slipstream.benchmarks.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * What {@code slipstream ps --json} said last, as a table that fits a screen.
 *
 * @param streams its streams
 */
record PsTable(List<JSONObject> streams) {
  static final PsTable NOTHING = new PsTable(List.of());

  private static final String LAYOUT = "%-8s %-11s %-7s %-8s %9s %9s %9s %9s  %s";
  private static final String TCP = "tcp";

  /** Reads one line of it; a line that is something else says nothing. */
  static PsTable of(String line) {
    List<JSONObject> streams = new ArrayList<>();
    try {
      JSONArray processes = new JSONObject(line).getJSONArray("processes");
      for (int i = 0; i < processes.length(); i++) {
        JSONObject process = processes.getJSONObject(i);
        JSONArray its = process.getJSONArray("streams");
        for (int j = 0; j < its.length(); j++) {
          JSONObject stream = its.getJSONObject(j);
          stream.put("pid", process.getLong("pid"));
          stream.put("program", process.getString("program"));
          streams.add(stream);
        }
      }
    } catch (JSONException e) {
      return NOTHING;
    }
    return new PsTable(streams);
  }

  /** Whether a process has a stream, and all of its streams are on a ring both ways. */
  boolean isOnRing(long pid) {
    List<JSONObject> its = of(pid);
    return !its.isEmpty()
        && its.stream().allMatch(stream -> !carrier(stream).equals(TCP) && goes(stream, "ring"));
  }

  /** Whether a process has a stream, and all of its streams are on TCP both ways. */
  boolean isOnTcp(long pid) {
    List<JSONObject> its = of(pid);
    return !its.isEmpty() && its.stream().allMatch(stream -> goes(stream, "plain"));
  }

  /** The transport of a process's last stream; TCP if it has none. */
  String carrier(long pid) {
    List<JSONObject> its = of(pid);
    return its.isEmpty() ? TCP : carrier(its.getLast());
  }

  private List<JSONObject> of(long pid) {
    return streams.stream().filter(stream -> stream.getLong("pid") == pid).toList();
  }

  private static String carrier(JSONObject stream) {
    return stream.optString("carrier", TCP);
  }

  private static boolean goes(JSONObject stream, String way) {
    return stream.optString("out").equals(way) && stream.optString("in").equals(way);
  }

  /** The head and a line for each stream. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            LAYOUT,
            "PID",
            "PROGRAM",
            "ROLE",
            "CARRIER",
            "OUT",
            "IN",
            "TCP-OUT",
            "TCP-IN",
            "WHY PLAIN"));
    for (JSONObject stream : streams) {
      String program = stream.getString("program");
      String reason = stream.optString("reason");
      lines.add(
          String.format(
                  Locale.ROOT,
                  LAYOUT,
                  stream.getLong("pid"),
                  program.substring(program.lastIndexOf('.') + 1),
                  stream.optString("role"),
                  carrier(stream),
                  amount(stream, "ringBytesOut"),
                  amount(stream, "ringBytesIn"),
                  amount(stream, "plainBytesOut"),
                  amount(stream, "plainBytesIn"),
                  reason.equals("NONE") ? "" : reason)
              .stripTrailing());
    }
    return lines;
  }

  private static String amount(JSONObject stream, String member) {
    long bytes = stream.optLong(member);
    return bytes < 10_000 ? Long.toString(bytes) : bytes / 1000 + "k";
  }
}
