package org.slipstream.ntb;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

/**
 * What searches for peers did not find, for how long that is believed, and whether another search
 * may find it. Any thread; times are those of {@link System#nanoTime}.
 */
final class SearchHistory {
  /** A node on which no process announces a port is not asked again for so long. */
  static final long NEGATIVE_NS = 500_000_000L;

  /**
   * A process announces its port before it accepts, so a node that says nothing has no such
   * process; but the driver may have failed, or been late. It is asked so often for one port.
   */
  static final int MOST_SEARCHES = 4;

  /**
   * Each session that a process does not answer costs memory of the window that the process may
   * still map: the pauses between them double, up to a minute.
   */
  private static final int MOST_DOUBLINGS = 7;

  /** A port of a node. */
  record Port(Fabric fabric, int node, int number) {}

  /** A process of a node. */
  record Peer(Fabric fabric, int node, ProcessId id) {}

  /**
   * Searches for one port that ended without a session.
   *
   * @param refusal why there is none although a process was found; null without one
   * @param why what an operator is told of it; null if there is nothing to do about it
   */
  record Missed(long since, int searches, @Nullable Refusal refusal, @Nullable String why) {}

  private record Silence(long until, int times) {}

  private final Map<Port, Missed> missed = new ConcurrentHashMap<>();
  private final Map<Peer, Silence> silent = new ConcurrentHashMap<>();

  /** A search found no process, or none with our key. */
  void missed(Port port, @Nullable Refusal refusal, @Nullable String why, long now) {
    missed.merge(
        port,
        new Missed(now, 1, refusal, why),
        (last, next) -> new Missed(now, last.searches + 1, refusal, why));
  }

  /**
   * A search found a process, which did not answer. However many streams hear of it at once, each
   * may search again: {@link #isSilent} bounds how often the process is asked.
   */
  void unanswered(Port port, long now) {
    missed.put(port, new Missed(now, 0, Refusal.SILENT, null));
  }

  /** There is a session with a process that announces the port. */
  void found(Port port, Peer process) {
    missed.remove(port);
    silent.remove(process);
  }

  /** A process did not answer when it was asked for a session. */
  void unanswered(Peer process, long now) {
    silent.values().removeIf(last -> now - last.until > NEGATIVE_NS << MOST_DOUBLINGS);
    silent.compute(
        process,
        (p, last) -> {
          int times = last == null ? 1 : Math.min(last.times + 1, MOST_DOUBLINGS);
          return new Silence(now + (NEGATIVE_NS << times), times);
        });
  }

  /** Whether a process is not to be asked now. */
  boolean isSilent(Peer process, long now) {
    Silence last = silent.get(process);
    return last != null && now - last.until < 0;
  }

  /** Whether a search now would only find what the last one did. */
  boolean isKnown(Port port, long now) {
    Missed last = missed.get(port);
    return last != null && now - last.since <= NEGATIVE_NS;
  }

  /**
   * What the last search said that found a process which refuses or is silent; null if none did.
   */
  @Nullable Missed refused(Port port) {
    Missed last = missed.get(port);
    return last != null && last.refusal != null ? last : null;
  }

  /** Whether another search may find what the last one did not. */
  boolean mayFindLater(Port port) {
    Missed last = missed.get(port);
    return last != null && last.searches < MOST_SEARCHES;
  }
}
