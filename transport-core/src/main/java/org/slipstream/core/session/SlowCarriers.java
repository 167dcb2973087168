package org.slipstream.core.session;

import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;

/**
 * Ends sessions whose answers take longer than those of the streams' own TCP connections, and keeps
 * their streams there for a while: {@link SlowCarrierRule} for each peer. The streams fall back as
 * they do when a session is lost, and return as they do then. Reactor only.
 */
final class SlowCarriers {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  /** Peers that come and go are forgotten beyond so many. */
  private static final int MOST = 256;

  private record Peer(String transport, ProcessId process) {}

  private final LongSupplier clock;
  private final Map<Peer, SlowCarrierRule> rules = new HashMap<>();

  /**
   * No peer is known yet.
   *
   * @param clock nanoseconds
   */
  SlowCarriers(LongSupplier clock) {
    this.clock = clock;
  }

  private static Peer peer(Session session) {
    return new Peer(session.transportName(), session.peer());
  }

  /**
   * Many answers of a stream came.
   *
   * @param session of its link, or of that which it lost
   * @param medianNs how long they took
   * @param onRing over the link; over TCP otherwise
   * @param tcp a round trip of its TCP connection in nanoseconds; negative if it is not known
   */
  void answered(Session session, long medianNs, boolean onRing, LongSupplier tcp) {
    long now = clock.getAsLong();
    Peer peer = peer(session);
    SlowCarrierRule rule = rules.get(peer);
    if (rule == null) {
      if (!onRing || medianNs <= SlowCarrierRule.SPIN_NS) {
        return; // as nearly always
      }
      if (rules.size() >= MOST) {
        rules.values().removeIf(r -> r.isIdle(now));
      }
      rule = new SlowCarrierRule();
      rules.put(peer, rule);
    }
    if (!onRing) {
      rule.overTcp(medianNs, now);
      return;
    }
    long mediumNs = session.roundTripNanos();
    long tcpNs = tcp.getAsLong();
    if (session.isOpen() && rule.leaves(medianNs, mediumNs, tcpNs, now)) {
      String why =
          "answers took %d us over %s, and a round trip of it %d us%s: its streams try TCP"
              .formatted(
                  TimeUnit.NANOSECONDS.toMicros(medianNs),
                  session.transportName(),
                  TimeUnit.NANOSECONDS.toMicros(mediumNs),
                  tcpNs < 0 ? "" : ", of TCP " + TimeUnit.NANOSECONDS.toMicros(tcpNs) + " us");
      LOG.log(Level.INFO, MessageCode.SLOWER_THAN_TCP.text(why));
      session.abort(why);
    }
  }

  /**
   * Whether streams to the peer of a session stay on TCP now.
   *
   * @param session open
   * @return false when the hold is over
   */
  boolean isAway(Session session) {
    SlowCarrierRule rule = rules.get(peer(session));
    return rule != null && rule.isAway(clock.getAsLong());
  }
}
