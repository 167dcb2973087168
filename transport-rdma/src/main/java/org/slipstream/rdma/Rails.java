package org.slipstream.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmId;

/**
 * Sessions over other ports with a process that was found: tells peers where this process listens,
 * connects what {@link RailPlan} wants, and tells a peer over one session that another is over, as
 * its own device may not notice for long. Event thread only.
 */
final class Rails {
  private final RdmaSettings settings;
  private final Listeners.Scheduler scheduler;
  private final Connect connect;
  private final Function<InetSocketAddress, @Nullable InetAddress> source;
  private final OwnPorts ports;
  private final RailListeners listeners;

  /** What the peer of a first session has told, until it carries a stream. */
  private final Map<RdmaSession, List<InetSocketAddress>> told = new HashMap<>();

  /** Groups that have other ways. */
  private final Set<RailGroup<RdmaSession>> planned = new HashSet<>();

  /** Asks for a session beside one that is open; {@link #down} or {@link #connected} follows. */
  @FunctionalInterface
  interface Connect {
    void to(Way way, RdmaSession beside);
  }

  /**
   * No peer was found yet.
   *
   * @param source the address of ours that the route to another one has
   */
  Rails(
      RdmaSettings settings,
      RailListeners.Listening listeners,
      Listeners.Scheduler scheduler,
      Function<InetSocketAddress, @Nullable InetAddress> source,
      Connect connect) {
    this.settings = settings;
    this.scheduler = scheduler;
    this.source = source;
    this.connect = connect;
    this.ports = new OwnPorts(settings);
    this.listeners =
        new RailListeners(ports, listeners, () -> SourcePorts.firstBehind(SourcePorts.range()));
  }

  private boolean areUsed() {
    return settings.rails() != RailUse.OFF;
  }

  // -- the end that accepts --------------------------------------------------------------------

  /** Where the process listens that accepts a request, beside the port of the request. */
  List<InetSocketAddress> others(CmId request, InetAddress peer) throws IOException {
    if (!areUsed()) {
      return List.of();
    }
    String device = request.device().toString();
    int number = request.port();
    return listeners.beside(port -> port.device().equals(device) && port.number() == number, peer);
  }

  // -- the end that connects -------------------------------------------------------------------

  /** The peer of a first session has told where it listens too. */
  void told(RdmaSession session, List<InetSocketAddress> others) {
    if (areUsed() && !others.isEmpty()) {
      told.put(session, others);
    }
  }

  /** A first session carries a stream: it is worth another one. */
  void carries(RdmaSession session) {
    List<InetSocketAddress> others = told.remove(session);
    RailGroup<RdmaSession> group = session.group();
    Way first = group.first();
    if (others == null || first == null || !session.isOpen()) {
      return;
    }
    List<Way> ways = RailWays.of(first, ports.usable(), others, source, ports::address);
    if (ways.size() > 1) {
      group.plan(new RailPlan(ways, settings.rails().sessions(), System.nanoTime()));
      planned.add(group);
      later(group);
    }
  }

  private void later(RailGroup<RdmaSession> group) {
    RailPlan plan = group.plan();
    long delay = plan == null ? RailPlan.NEVER : plan.delay(System.nanoTime());
    if (delay != RailPlan.NEVER) {
      scheduler.schedule(delay, () -> connectDue(group));
    }
  }

  private void connectDue(RailGroup<RdmaSession> group) {
    RailPlan plan = group.plan();
    RdmaSession open = group.choose(false);
    if (plan == null || open == null) {
      return; // the peer has to be found again
    }
    Way way = plan.next(System.nanoTime());
    if (way != null) {
      connect.to(way, open);
      later(group);
    }
  }

  /** What was asked for on a way came to nothing. */
  void down(RailGroup<RdmaSession> group, Way way) {
    RailPlan plan = group.plan();
    if (plan != null) {
      plan.down(way, System.nanoTime());
      later(group);
    }
  }

  // -- both ends -------------------------------------------------------------------------------

  /** A session is connected. */
  void connected(RdmaSession session) {
    RailGroup<RdmaSession> group = session.group();
    RailPlan plan = group.plan();
    Way way = session.asked();
    if (plan == null || way == null) {
      group.add(session, 0);
    } else {
      plan.connected(way);
      group.add(session, plan.rank(way));
    }
  }

  /** A session is over. */
  void ended(RdmaSession session) {
    RailGroup<RdmaSession> group = session.group();
    told.remove(session);
    boolean was = group.remove(session);
    List<RdmaSession> others = group.sessions(RdmaSession::isOpen);
    if (was) {
      others.forEach(other -> other.tellEnded(session.ticket()));
    }
    if (others.isEmpty()) {
      planned.remove(group);
    }
    Way way = session.asked();
    if (way != null) {
      down(group, way);
    }
  }

  /** A port of ours is active, or has another address. */
  void portActive() {
    ports.changed();
    for (RailGroup<RdmaSession> group : planned) {
      RailPlan plan = group.plan();
      if (plan != null) {
        plan.portActive(System.nanoTime());
        later(group);
      }
    }
  }
}
