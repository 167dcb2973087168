package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BiConsumer;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.Refusal;

/**
 * Answers the requests of peers: asks the {@link Door}, makes the sessions that it lets in, and
 * tells the others why not. Event thread only.
 */
final class Acceptor {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** Sessions that carry nothing are looked for so often, while there are any. */
  private static final long SWEEP_NS = 1_000_000_000L;

  private final RdmaSession.Home home;
  private final EventThread events;
  private final DeviceWatches watches;
  private final BiConsumer<CmId, RdmaSession> made;
  private final Lanes lanes;
  private final Rails rails;
  private final Door<RdmaSession> door;

  /** Made before there is no memory for it. */
  private final Runnable sweep = this::sweep;

  private boolean sweeping;

  /**
   * No client has asked yet.
   *
   * @param lanes takes the queue pairs of one-sided memory
   * @param rails knows the other ports of this host
   * @param made told of each session, before its peer is
   */
  Acceptor(
      RdmaSession.Home home,
      EventThread events,
      DeviceWatches watches,
      Lanes lanes,
      Rails rails,
      BiConsumer<CmId, RdmaSession> made) {
    this.home = home;
    this.events = events;
    this.watches = watches;
    this.lanes = lanes;
    this.rails = rails;
    this.made = made;
    this.door = new Door<>(home.key(), home.host().processId(), this::expects);
  }

  /** Whether the program has accepted a TCP connection of the host that asks. */
  private boolean expects(InetAddress from) {
    return home.addresses().isTrue(from, home.host()::hasAcceptedFrom);
  }

  /** CONNECT_REQUEST. */
  void requested(CmEvent event) {
    CmId id = of(event);
    RdmaSession session = null;
    try {
      HandshakeMessage asked = HandshakeMessage.read(event.privateData());
      home.settings().requireAllowed(id);
      InetAddress from = id.remoteAddress();
      if (from == null) {
        throw new RefusedException(Refusal.NOT_ALLOWED, "the peer has no IP address");
      }
      if (asked.kind() == HandshakeMessage.Kind.QUEUE) {
        RdmaSession its = door.ofQueue(asked, from);
        if (its == null) {
          throw new RefusedException(Refusal.NOT_ALLOWED, "the peer has no such session");
        }
        lanes.answer(id, asked, its);
        return;
      }
      Door.Decision decision = door.decide(asked, from, System.nanoTime());
      Door.Admission admission = decision.admission();
      if (admission == null) {
        HandshakeMessage rejection = decision.rejection();
        reject(id, rejection == null ? refusal(HandshakeMessage.NO_REASON) : rejection);
        return;
      }
      watches.add(id);
      id.ackTimeout(home.settings().ackTimeout());
      RdmaSettings.limitPathMtu(id, asked.maxPathMtu());
      session = make(id, admission);
      session.acceptedFrom(asked.process());
      session.ticket(admission.answer().number());
      made.accept(id, session);
      door.enter(session, admission, System.nanoTime());
      rails.connected(session);
      sweepLater();
      id.accept(
          ToldPorts.append(admission.answer().bytes(), others(id, admission)),
          home.settings().retries());
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "A request is not accepted", e);
      if (session != null) {
        session.end(String.valueOf(e.getMessage()));
      } else {
        Refusal why = RefusedException.of(e);
        reject(
            id, refusal(why == null ? HandshakeMessage.NO_REASON : HandshakeMessage.numberOf(why)));
      }
    }
  }

  /** The kernel keeps it until it is closed. */
  private static CmId of(CmEvent request) {
    for (int attempt = 1; ; attempt++) {
      try {
        return new CmId(request.id());
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** A first session is told where the others are. */
  private List<InetSocketAddress> others(CmId id, Door.Admission admission) throws IOException {
    return admission.beside().equals(Token.NONE) ? rails.others(id, admission.from()) : List.of();
  }

  /**
   * Where memory is short, sessions that carry nothing end; not for an unexpected peer, and not for
   * a session that may be needed some day.
   */
  private RdmaSession make(CmId id, Door.Admission admission) throws IOException {
    RdmaSession beside = door.beside(admission);
    if (beside != null) {
      return RdmaSession.acceptedBeside(beside, home, events, id);
    }
    InetAddress from = admission.from();
    for (; ; ) {
      try {
        return RdmaSession.accepted(home, events, id, from);
      } catch (IOException e) {
        boolean expected = home.key().isSet() || expects(from);
        if (RefusedException.of(e) != Refusal.NO_MEMORY_HERE
            || !expected
            || !door.makeRoom(System.nanoTime())) {
          throw e;
        }
      }
    }
  }

  private HandshakeMessage refusal(int reason) {
    return HandshakeMessage.refused(home.host().processId(), reason);
  }

  private static void reject(CmId id, HandshakeMessage why) {
    try {
      id.reject(why.bytes());
    } catch (IOException e) {
      LOG.log(Level.TRACE, "The peer is gone", e);
    } finally { // without memory, too
      id.close();
    }
  }

  private void sweepLater() {
    if (!sweeping && !door.isEmpty()) {
      sweeping = true;
      events.schedule(SWEEP_NS, sweep);
    }
  }

  private void sweep() {
    sweeping = false;
    try {
      door.sweep(System.nanoTime());
    } finally {
      sweepLater();
    }
  }

  /** A session is over. */
  void forget(RdmaSession session) {
    door.leave(session);
  }
}
