package org.slipstream.core.api;

import java.util.ArrayList;
import java.util.List;

/**
 * What Slipstream counts. Every view reads these constants: {@code slipstream ps}, JMX, Micrometer
 * and the flight recorder. The data path does not: it adds to the plain fields of {@code
 * DirectionCounters}, which a snapshot reads. To add a counter, add a constant, count, and name it
 * in {@code docs/TOOLS.md}.
 */
public enum Counter {
  /** Events of the process; counted with {@code StreamJournal.count}. */
  STREAMS_OPENED(Kind.PROCESS, "streamsOpened", "streams.opened", "Streams connected or accepted"),

  STREAMS_OPEN(Kind.OPEN_STREAMS, "streamsOpen", "streams.open", "Open streams"),
  STREAMS_ON_LINK(
      Kind.OPEN_STREAMS,
      "streamsOnLink",
      "streams.linked",
      "Open streams that travel on a link both ways"),
  STREAMS_JOINED(Kind.PROCESS, "streamsJoined", "links.joined", "Links joined"),
  RING_BYTES(
      Kind.EACH_WAY,
      Unit.BYTES,
      "ringBytes",
      "bytes,carrier=link",
      "",
      "Ring Bytes",
      "Bytes moved"),
  PLAIN_BYTES(
      Kind.EACH_WAY,
      Unit.BYTES,
      "plainBytes",
      "bytes,carrier=tcp",
      "TCP",
      "TCP Bytes",
      "Bytes moved"),
  MESSAGES(
      Kind.EACH_WAY,
      Unit.COUNT,
      "messages",
      "messages",
      "MSG",
      "Messages",
      "Calls that moved bytes"),
  RING_USED(
      Kind.LEVEL, Unit.BYTES, "ringUsed", "", "RING", "Ring Used", "Bytes that are not taken out"),
  RING_SIZE(
      Kind.LEVEL, Unit.BYTES, "ringSize", "", "", "Ring Size", "Bytes that fit; 0 without a link"),
  SPINS(
      Kind.BOTH_WAYS,
      Unit.COUNT,
      "spins",
      "waits,ended=spin",
      "SPINS",
      "Spins",
      "Waits that ended while polling"),
  MISSES(
      Kind.BOTH_WAYS,
      Unit.COUNT,
      "misses",
      "spins.missed",
      "MISSES",
      "Misses",
      "Polling that was given up for a sleep"),
  WAKE_UPS(
      Kind.BOTH_WAYS,
      Unit.COUNT,
      "wakeUps",
      "waits,ended=wakeup",
      "WAKE-UPS",
      "Wake-ups",
      "Waits that ended a sleep"),
  FAILOVERS(Kind.PROCESS, "failovers", "failovers", "Links lost while their stream lived"),
  RETURNS(Kind.PROCESS, "returns", "returns", "Links joined in place of one that was lost"),
  SESSIONS_OPENED(
      Kind.PROCESS,
      "sessionsOpened",
      "sessions.opened",
      "Sessions with other processes that began"),
  SESSIONS_OPEN(
      Kind.OPEN_SESSIONS, "sessionsOpen", "sessions.open", "Open sessions with other processes"),
  SESSIONS_ENDED(
      Kind.PROCESS, "sessionsEnded", "sessions.ended", "Sessions with other processes that ended"),
  PINNED_BYTES(
      Kind.OPEN_SESSIONS,
      Unit.BYTES,
      "pinnedBytes",
      "sessions.pinned",
      "",
      "",
      "Memory that is locked for open sessions"),
  QUEUE_USED(
      Kind.OPEN_SESSIONS,
      "queueUsed",
      "sessions.queued",
      "Requests that devices have under way for open sessions"),
  QUEUE_FULL(
      Kind.SESSIONS,
      "queueFull",
      "sessions.queue.full",
      "Times that a sender found no room in the queue of a session"),
  COMPLETIONS(
      Kind.SESSIONS,
      "completions",
      "sessions.completions",
      "Completions that devices have reported for sessions"),
  OFFERS_REFUSED(Kind.PROCESS, "offersRefused", "offers.refused", "Offers that a peer refused"),
  SLOW_WAITS(Kind.PROCESS, "slowWaits", "waits.slow", "Sleeps of 20 ms or more");

  /** What is counted, and how the numbers of streams become one of the process. */
  public enum Kind {
    /** Happens to the process; the number never falls. */
    PROCESS,

    /** How many streams that are open now have a property. */
    OPEN_STREAMS,

    /** A number that open sessions have at this moment, summed over them. */
    OPEN_SESSIONS,

    /** Counted by sessions, and summed over all, ended ones included. */
    SESSIONS,

    /** Counted for each direction of a stream, and summed for each direction. */
    EACH_WAY,

    /** Counted for each direction of a stream; the sum of the process has both. */
    BOTH_WAYS,

    /** Of each direction of a stream at this moment; has no sum. */
    LEVEL
  }

  /** What the number is a number of. */
  public enum Unit {
    BYTES,
    COUNT
  }

  /** Those that each direction of a stream has, in the order of the constants. */
  public static final List<Counter> OF_DIRECTION = ofDirection();

  private final Kind kind;
  private final Unit unit;
  private final String key;
  private final String meter;
  private final String column;
  private final String label;
  private final String help;

  Counter(Kind kind, String key, String meter, String help) {
    this(kind, Unit.COUNT, key, meter, "", "", help);
  }

  Counter(
      Kind kind, Unit unit, String key, String meter, String column, String label, String help) {
    this.kind = kind;
    this.unit = unit;
    this.key = key;
    this.meter = meter;
    this.column = column;
    this.label = label;
    this.help = help;
  }

  private static List<Counter> ofDirection() {
    List<Counter> counters = new ArrayList<>();
    for (Counter counter : values()) {
      switch (counter.kind) {
        case EACH_WAY, BOTH_WAYS, LEVEL -> counters.add(counter);
        case PROCESS, OPEN_STREAMS, OPEN_SESSIONS, SESSIONS -> {}
      }
    }
    return List.copyOf(counters);
  }

  /** Returns what is counted, and how streams are summed. */
  public Kind kind() {
    return kind;
  }

  /** Returns what the number is a number of. */
  public Unit unit() {
    return unit;
  }

  /** Returns whether the number is that of a moment, and may fall. */
  public boolean isGauge() {
    return kind == Kind.OPEN_STREAMS || kind == Kind.OPEN_SESSIONS || kind == Kind.LEVEL;
  }

  /** Returns the name in the answers of {@code slipstream ps}, without a direction. */
  public String key() {
    return key;
  }

  /** Returns the name for Micrometer and its tags, {@code name,tag=value}; empty for a level. */
  public String meter() {
    return meter;
  }

  /** Returns the head of the column of {@code slipstream ps}, without a direction. */
  public String column() {
    return column;
  }

  /** Returns the name for the flight recorder, without a direction. */
  public String label() {
    return label;
  }

  /** Returns what is counted, in some words. */
  public String help() {
    return help;
  }
}
