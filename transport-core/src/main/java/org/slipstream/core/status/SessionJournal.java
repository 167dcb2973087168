package org.slipstream.core.status;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slipstream.transport.Session;

/** Sessions with other processes, open ones and those that ended lately. Reactor only. */
public final class SessionJournal {
  /** What was lost before that is of no use to an operator who asks now. */
  private static final int MOST_ENDED = 8;

  private static final long SECOND_NS = 1_000_000_000;

  private final LongSupplier clock;
  private final Map<Session, Long> open = new LinkedHashMap<>();
  private final Deque<Ended> ended = new ArrayDeque<>();

  private record Ended(Map<String, Object> said, long at) {}

  /**
   * No session yet.
   *
   * @param clock nanoseconds
   */
  public SessionJournal(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * A session begins.
   *
   * @param session with any process
   */
  public void opened(Session session) {
    open.putIfAbsent(session, clock.getAsLong());
  }

  /**
   * A session is over.
   *
   * @param session that was opened, or failed before
   * @param cause one sentence
   */
  public void ended(Session session, String cause) {
    open.remove(session);
    Map<String, Object> said = describe(session, "ended");
    said.put("cause", cause);
    ended.addLast(new Ended(said, clock.getAsLong()));
    if (ended.size() > MOST_ENDED) {
      ended.removeFirst();
    }
  }

  /**
   * How many there are.
   *
   * @return open ones
   */
  public int openSessions() {
    return open.size();
  }

  /**
   * What a tool shows.
   *
   * @param streams how many streams travel on a session
   * @return members for each session; {@code seconds} since it was opened, or since it ended
   */
  public List<Map<String, Object>> rows(ToLongFunction<Session> streams) {
    List<Map<String, Object>> rows = new ArrayList<>();
    long now = clock.getAsLong();
    open.forEach((session, since) -> {
      Map<String, Object> row = describe(session, "open");
      row.put("seconds", (now - since) / SECOND_NS);
      row.put("streams", streams.applyAsLong(session));
      rows.add(row);
    });
    for (Ended session : ended) {
      Map<String, Object> row = new LinkedHashMap<>(session.said);
      row.put("seconds", (now - session.at) / SECOND_NS);
      rows.add(row);
    }
    return rows;
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
