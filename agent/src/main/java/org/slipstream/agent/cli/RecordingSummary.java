package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.Reason;
import org.slipstream.core.status.BuildInfo;

/** What the events of a recording say of streams, added up event by event; one thread. */
final class RecordingSummary {
  private static final String TCP = "tcp";
  private static final int NS_PER_MS = 1_000_000;

  /** A stream whose end the recording need not have. */
  private static final class Life {
    /** The transport on which it was last; TCP if it never left that. */
    private String carrier = TCP;

    private String reason = "";
    private String advice = "";
  }

  /** What the closed streams of a carrier have moved, by the names of the counters. */
  private static final class Sums {
    private long streams;
    private long closed;
    private final Map<String, Long> counters = new HashMap<>();

    long of(String name) {
      return counters.getOrDefault(name, 0L);
    }
  }

  /** By addresses and role; the same addresses again are another stream. */
  private final Map<String, Life> open = new HashMap<>();

  private final Map<String, Sums> carriers = new TreeMap<>();
  private final Map<String, Integer> reasons = new TreeMap<>();
  private final Map<String, Integer> refusals = new TreeMap<>();
  private final Map<String, Integer> lost = new TreeMap<>();
  private final Map<String, Long> slow = new TreeMap<>();
  private final Map<String, Long> longest = new TreeMap<>();
  private final SortedSet<String> builds = new TreeSet<>();
  private int overflows;

  /** A process of this build wrote the recording, or a part of it. */
  void build(String version, String commit) {
    builds.add(new BuildInfo(version, commit).toString());
  }

  /** A stream was opened; what had these addresses before is over, whether that was seen or not. */
  void opened(String stream) {
    Life before = open.remove(stream);
    if (before != null) {
      end(before);
    }
    open.put(stream, new Life());
  }

  /** What carries a stream was decided, or has changed. */
  void carrier(String stream, String carrier, String reason, String advice) {
    Life life = open.computeIfAbsent(stream, s -> new Life());
    life.reason = reason;
    life.advice = advice;
    if (!carrier.equals(TCP)) {
      life.carrier = carrier;
    }
    if (reason.equals(Reason.RING_FULL.name())) {
      overflows++;
    }
  }

  /** A stream was closed. */
  void closed(String stream, String carrier, String reason, Map<String, Long> counters) {
    Life life = open.remove(stream);
    if (life == null) {
      life = new Life();
      life.reason = reason;
    }
    if (!carrier.equals(TCP)) {
      life.carrier = carrier;
    }
    Sums sums = end(life);
    sums.closed++;
    counters.forEach((name, amount) -> sums.counters.merge(name, amount, Long::sum));
  }

  private Sums end(Life life) {
    Sums sums = carriers.computeIfAbsent(life.carrier, c -> new Sums());
    sums.streams++;
    if (life.carrier.equals(TCP) && !life.reason.isEmpty()) {
      reasons.merge(life.reason + advice(life.reason, life.advice), 1, Integer::sum);
    }
    return sums;
  }

  /** A stream that was closed in the recording may have been decided about before it. */
  private static String advice(String reason, String said) {
    if (!said.isEmpty()) {
      return ": " + said;
    }
    for (Reason known : Reason.values()) {
      if (known.name().equals(reason)) {
        return ": " + known.advice();
      }
    }
    return "";
  }

  /** The link of a stream was lost. */
  void failedOver(String carrier) {
    lost.merge(carrier, 1, Integer::sum);
  }

  /** A peer refused a stream. */
  void refused(String reason, String advice) {
    refusals.merge(reason + ": " + advice, 1, Integer::sum);
  }

  /** A blocking call slept for long. */
  void slept(String operation, String carrier, long nanos) {
    String name = operation + " on " + carrier;
    slow.merge(name, 1L, Long::sum);
    longest.merge(name, nanos, Math::max);
  }

  /** Makes the page; the summary is used up. */
  List<String> lines() {
    open.values().forEach(this::end);
    open.clear();
    List<String> lines = new ArrayList<>();
    builds.forEach(build -> lines.add("Recorded with Slipstream " + build + "."));
    if (carriers.isEmpty()) {
      lines.add("The recording has no stream of Slipstream.");
      return lines;
    }
    lines.add("Streams by what carried them; bytes, messages and waits are those of closed ones:");
    lines.add(row("", "streams", "closed", "ring", "tcp", "messages", "spins", "wake-ups"));
    carriers.forEach((carrier, sums) -> lines.add(row(carrier, sums)));
    counted(lines, "Stayed on TCP, because:", reasons);
    counted(lines, "Refused by a peer:", refusals);
    counted(lines, "Links lost, their streams went on over TCP:", lost);
    lines.add("");
    lines.add(
        "Rings that stayed full, so that a direction went to TCP and came back: " + overflows);
    if (!slow.isEmpty()) {
      lines.add("Sleeps of 20 ms or more:");
      slow.forEach((name, times) ->
          lines.add(
              String.format(
                  Locale.ROOT,
                  "  %6d  %s, %d ms at most",
                  times,
                  name,
                  longest.getOrDefault(name, 0L) / NS_PER_MS)));
    }
    return lines;
  }

  private static void counted(List<String> lines, String title, Map<String, Integer> counts) {
    if (!counts.isEmpty()) {
      lines.add("");
      lines.add(title);
      Map<String, Integer> sorted = new LinkedHashMap<>();
      counts.entrySet().stream()
          .sorted((a, b) -> Integer.compare(b.getValue(), a.getValue()))
          .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
      sorted.forEach(
          (name, times) -> lines.add(String.format(Locale.ROOT, "  %6d  %s", times, name)));
    }
  }

  private static String row(String carrier, Sums sums) {
    return row(
        carrier,
        Long.toString(sums.streams),
        Long.toString(sums.closed),
        both(sums, Counter.RING_BYTES),
        both(sums, Counter.PLAIN_BYTES),
        both(sums, Counter.MESSAGES),
        StreamTable.human(sums.of(Counter.SPINS.key())),
        StreamTable.human(sums.of(Counter.WAKE_UPS.key())));
  }

  private static String both(Sums sums, Counter counter) {
    return StreamTable.human(sums.of(counter.key() + "Out") + sums.of(counter.key() + "In"));
  }

  private static String row(String... cells) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-6s", cells[0]));
    for (int i = 1; i < cells.length; i++) {
      line.append(String.format(Locale.ROOT, "%10s", cells[i]));
    }
    return line.toString();
  }
}
