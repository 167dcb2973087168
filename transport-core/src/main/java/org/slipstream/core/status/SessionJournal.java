package org.slipstream.core.status;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.slipstream.core.api.Counter;
import org.slipstream.core.events.FlightEvents;
import org.slipstream.core.events.RecordedSessions;
import org.slipstream.core.events.Recording;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Session;

/**
 * Sessions with other processes: open ones, those that ended lately, and peers that refused one.
 * Any thread; what changes is the reactor's. No lock is held while a session describes itself.
 */
public final class SessionJournal {
  /** What was lost, or refused, before that is of no use to an operator who asks now. */
  private static final int MOST_PAST = 8;

  private static final long SECOND_NS = 1_000_000_000;

  private final LongSupplier clock;
  private final ToLongFunction<Session> streams;

  /** Guarded by this, as the next ones. */
  private final Map<Session, Open> open = new LinkedHashMap<>();

  private final Deque<Past> ended = new ArrayDeque<>();

  /** By transport and address. */
  private final Map<String, Past> refused = new LinkedHashMap<>();

  /** Of sessions that ended. */
  private final Map<Counter, Long> sums = new EnumMap<>(Counter.class);

  /** The flight recorder knows it as long as this journal lives. */
  private final Supplier<List<Map<String, Object>>> source = this::openRows;

  /** What is counted here of an open session. Guarded by the journal. */
  private static final class Open {
    final long since;
    long lost;
    long returned;

    Open(long since) {
      this.since = since;
    }
  }

  /** What is said of a session that is not, and since when. */
  private record Past(Map<String, Object> said, long at) {}

  /**
   * No session yet.
   *
   * @param clock nanoseconds
   * @param streams how many streams travel on a session; any thread
   */
  public SessionJournal(LongSupplier clock, ToLongFunction<Session> streams) {
    this.clock = clock;
    this.streams = streams;
    RecordedSessions.add(source);
  }

  /**
   * Counts the streams of a session.
   *
   * @param session whose
   * @param streams of the process
   * @return how many have a link of it that is not lost
   */
  public static long streamsOf(Session session, Collection<Stream> streams) {
    long count = 0;
    for (Stream stream : streams) {
      StreamLink link = stream.link();
      count += link != null && !link.isDead() && link.session().equals(session) ? 1 : 0;
    }
    return count;
  }

  /**
   * A session begins.
   *
   * @param session with any process
   */
  public void opened(Session session) {
    Open its = new Open(clock.getAsLong());
    synchronized (this) {
      open.putIfAbsent(session, its);
    }
    if (Recording.isOn()) {
      FlightEvents.session(row(session, its));
    }
  }

  /**
   * A stream lost its link of a session, which is about to end.
   *
   * @param session that was opened
   */
  public synchronized void lostStream(Session session) {
    Open its = open.get(session);
    if (its != null) {
      its.lost++;
    }
  }

  /**
   * A stream that had lost a link got one of a session.
   *
   * @param session that was opened
   */
  public synchronized void returned(Session session) {
    Open its = open.get(session);
    if (its != null) {
      its.returned++;
    }
  }

  /**
   * A session is over.
   *
   * @param session that was opened, or failed before
   * @param cause one sentence
   */
  public void ended(Session session, String cause) {
    Map<String, Object> said = describe(session, "ended");
    synchronized (this) {
      Open its = open.remove(session);
      said.put("linksLost", its == null ? 0L : its.lost);
      said.put("linksReturned", its == null ? 0L : its.returned);
      said.put("cause", cause);
      add(Counter.Kind.SESSIONS, said, sums);
      ended.addLast(new Past(said, clock.getAsLong()));
      if (ended.size() > MOST_PAST) {
        ended.removeFirst();
      }
    }
    if (Recording.isOn()) {
      FlightEvents.session(said);
    }
  }

  /**
   * A session that a stream asked for was refused.
   *
   * @param transport its name
   * @param remote where the peer listens
   * @param why half a sentence
   */
  public synchronized void refused(String transport, InetSocketAddress remote, String why) {
    String address = remote.getAddress().getHostAddress() + ":" + remote.getPort();
    String key = transport + " " + address;
    Past before = refused.remove(key); // it becomes the youngest
    long times = before != null && before.said.get("times") instanceof Long n ? n : 0;
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("transport", transport);
    said.put("peer", "");
    said.put("state", "refused");
    said.put("role", "client");
    said.put("address", address);
    said.put("times", times + 1);
    said.put("cause", why);
    refused.put(key, new Past(said, clock.getAsLong()));
    if (refused.size() > MOST_PAST) {
      refused.remove(refused.keySet().iterator().next());
    }
  }

  /**
   * How many there are.
   *
   * @return open ones
   */
  public synchronized int openSessions() {
    return open.size();
  }

  /**
   * What a tool shows.
   *
   * @return members for each session, and for each peer that refused one; {@code seconds} since it
   *     was opened, or since it ended, or since the last refusal
   */
  public List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = openRows();
    long now = clock.getAsLong();
    for (Past past : past()) {
      Map<String, Object> row = new LinkedHashMap<>(past.said);
      row.put("seconds", (now - past.at) / SECOND_NS);
      rows.add(row);
    }
    return rows;
  }

  private synchronized List<Past> past() {
    List<Past> all = new ArrayList<>(ended);
    all.addAll(refused.values());
    return all;
  }

  private List<Map<String, Object>> openRows() {
    Map<Session, Open> all;
    synchronized (this) {
      all = new LinkedHashMap<>(open);
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    all.forEach((session, its) -> rows.add(row(session, its)));
    return rows;
  }

  private Map<String, Object> row(Session session, Open its) {
    Map<String, Object> row = describe(session, "open");
    row.put("seconds", (clock.getAsLong() - its.since) / SECOND_NS);
    row.put("streams", streams.applyAsLong(session));
    synchronized (this) {
      row.put("linksLost", its.lost);
      row.put("linksReturned", its.returned);
    }
    return row;
  }

  /**
   * The sums of the process.
   *
   * @return a number for each counter of sessions that has one
   */
  Map<Counter, Long> sums() {
    Map<Counter, Long> all;
    List<Session> now;
    synchronized (this) {
      all = new EnumMap<>(sums);
      now = new ArrayList<>(open.keySet());
    }
    all.put(Counter.SESSIONS_OPEN, (long) now.size());
    for (Session session : now) {
      Map<String, Object> said = session.describe();
      add(Counter.Kind.SESSIONS, said, all);
      add(Counter.Kind.OPEN_SESSIONS, said, all);
    }
    return all;
  }

  private static void add(Counter.Kind kind, Map<String, Object> said, Map<Counter, Long> sums) {
    for (Counter counter : Counter.values()) {
      if (counter.kind() == kind && said.get(counter.key()) instanceof Long number) {
        sums.merge(counter, number, Long::sum);
      }
    }
  }

  private static Map<String, Object> describe(Session session, String state) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("transport", session.transportName());
    row.put("peer", session.peer().toString());
    row.put("state", state);
    row.putAll(session.describe());
    return row;
  }
}
