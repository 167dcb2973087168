package org.slipstream.agent.trial;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slipstream.core.api.Counter;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;

/**
 * What carried the streams of some processes, from many looks at them: the last row of each stream,
 * and the last sums of each process, which have the streams, too, that no look has met. One thread.
 */
public final class Carried {
  private static final String TCP = "tcp";
  private static final String RING = Counter.RING_BYTES.key();
  private static final String PLAIN = Counter.PLAIN_BYTES.key();

  /** A stream as it was last seen. */
  private static final class Seen {
    private StreamRow last;

    /** The transport on which it was last; TCP if it never left that. */
    private String carrier = TCP;

    Seen(StreamRow first) {
      last = first;
      look(first);
    }

    void look(StreamRow row) {
      last = row;
      String now = row.text("carrier");
      if (!now.equals(TCP)) {
        carrier = now;
      }
    }

    long ring() {
      return last.sum(RING);
    }

    long plain() {
      return last.sum(PLAIN);
    }
  }

  /**
   * Streams that had one thing in common.
   *
   * @param name of a transport; or a reason with its advice
   * @param streams how many
   * @param bytes both directions
   */
  public record Group(String name, long streams, long bytes) {}

  /** Streams that are open, by their keys. */
  private final Map<String, Seen> open = new HashMap<>();

  private final List<Seen> closed = new ArrayList<>();

  /** By process id. */
  private final Map<Long, ProcessStatus> totals = new TreeMap<>();

  private final Set<Long> processes = new HashSet<>();

  /** Makes one that has seen nothing. */
  public Carried() {}

  /**
   * Takes one look at streams.
   *
   * @param said answers to {@code streams}
   */
  public void streams(List<ProcessStatus> said) {
    for (ProcessStatus process : said) {
      processes.add(process.number("pid"));
      process.streams().forEach(this::stream);
    }
  }

  private void stream(StreamRow row) {
    Seen before = open.get(row.key());
    if (before != null && amount(row) < before.ring() + before.plain()) {
      closed.add(before); // the addresses are those of another stream now
      before = null;
    }
    if (before == null) {
      open.put(row.key(), new Seen(row));
    } else {
      before.look(row);
    }
  }

  private static long amount(StreamRow row) {
    return row.sum(RING) + row.sum(PLAIN);
  }

  /**
   * Takes one look at sums.
   *
   * @param said answers to {@code totals}
   */
  public void totals(List<ProcessStatus> said) {
    for (ProcessStatus process : said) {
      processes.add(process.number("pid"));
      totals.put(process.number("pid"), process);
    }
  }

  private List<Seen> all() {
    List<Seen> all = new ArrayList<>(closed);
    all.addAll(open.values());
    return all;
  }

  /**
   * How many processes have answered: those that run Slipstream and have used a socket.
   *
   * @return their number
   */
  public int processes() {
    return processes.size();
  }

  /**
   * Streams and bytes by what carried them. A stream that was ever on a transport counts there,
   * once; bytes count where they went.
   *
   * @return TCP last
   */
  public List<Group> byCarrier() {
    Map<String, long[]> sums = new TreeMap<>();
    long[] tcp = new long[2];
    for (Seen stream : all()) {
      long[] its =
          stream.carrier.equals(TCP)
              ? tcp
              : sums.computeIfAbsent(stream.carrier, carrier -> new long[2]);
      its[0]++;
      its[1] += stream.ring();
      tcp[1] += stream.plain();
    }
    List<Group> groups = new ArrayList<>();
    sums.forEach((carrier, its) -> groups.add(new Group(carrier, its[0], its[1])));
    groups.add(new Group(TCP, tcp[0], tcp[1]));
    return groups;
  }

  /**
   * Why streams never left TCP.
   *
   * @return reasons with their advice, that of most streams first
   */
  public List<Group> reasons() {
    Map<String, long[]> sums = new TreeMap<>();
    for (Seen stream : all()) {
      if (stream.carrier.equals(TCP)) {
        long[] its = sums.computeIfAbsent(stream.last.why(), why -> new long[2]);
        its[0]++;
        its[1] += stream.plain();
      }
    }
    List<Group> groups = new ArrayList<>();
    sums.forEach((why, its) -> groups.add(new Group(why, its[0], its[1])));
    groups.sort((a, b) -> Long.compare(b.streams(), a.streams()));
    return groups;
  }

  /**
   * Streams that were opened and closed between two looks, which only the sums have.
   *
   * @return their number, and what they and the last moments of the others moved; by what is not
   *     known
   */
  public Group unseen() {
    List<Seen> seen = all();
    long streams = sum(Counter.STREAMS_OPENED.key()) - seen.size();
    long bytes = sum(RING + "Out") + sum(RING + "In") + sum(PLAIN + "Out") + sum(PLAIN + "In");
    for (Seen stream : seen) {
      bytes -= stream.ring() + stream.plain();
    }
    return new Group("not seen", Math.max(0, streams), Math.max(0, bytes));
  }

  private long sum(String name) {
    return totals.values().stream().mapToLong(process -> process.number(name)).sum();
  }
}
