package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * The client's side of an upgrade: offers connected streams to the processes that announce the
 * peer's address. Reactor only.
 *
 * <p>Several processes may announce one address ({@code SO_REUSEPORT} siblings): each gets an
 * offer, the first acceptance wins, the others are withdrawn. Each offer ends with exactly one
 * ACCEPT or REFUSE.
 */
final class Offers implements TranslatedStreams.Claims {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.offers");

  /** Siblings that get an offer for one stream. */
  private static final int MAX_SIBLINGS = 8;

  private static final class Offer {
    final long id;
    final Stream stream;
    final Session session;
    final Window window;

    /** The process of the session is the one to which the stream's addresses lead. */
    boolean proven;

    /** The window belongs to a link, or was given back: that is done once. */
    boolean settled;

    /** It was answered, or its session is over: the stream does not wait for it. */
    boolean over;

    Offer(long id, Stream stream, Session session, Window window, boolean named) {
      this.id = id;
      this.stream = stream;
      this.session = session;
      this.window = window;
      this.proven = named || session.isSameNetwork();
    }

    void giveBack() {
      if (!settled) {
        settled = true;
        LinkTable.giveBack(session, window);
      }
    }

    /** The peer may still write to it. */
    void quarantine() {
      if (!settled) {
        settled = true;
        window.quarantine();
      }
    }
  }

  private final LinkTable links;
  private final List<Endpoint> endpoints;
  private final Nudger nudger;
  private final Probes probes;
  private final Consumer<Stream> retry;
  private final Consumer<Stream> seek;
  private final Predicate<Session> isAway;
  private final Consumer<Stream> unmatched;
  private final Backlog backlog = new Backlog();
  private final Map<Long, Offer> pending = new HashMap<>();

  /** Accepted too late; their windows wait for the peer's CLOSED. */
  private final Map<Long, Offer> dismissed = new HashMap<>();

  /**
   * Nothing is offered yet.
   *
   * @param probes find out where the address of a peer in another network namespace leads
   * @param retry takes a stream whose offer went with its session
   * @param seek takes a stream whose peer did not answer, but may later
   * @param isAway whether streams stay on TCP although there is a session
   * @param unmatched takes a stream that was looked for by its addresses, whatever came of it
   */
  Offers(
      LinkTable links,
      List<Endpoint> endpoints,
      Nudger nudger,
      Probes probes,
      Consumer<Stream> retry,
      Consumer<Stream> seek,
      Predicate<Session> isAway,
      Consumer<Stream> unmatched) {
    this.unmatched = unmatched;
    this.links = links;
    this.endpoints = endpoints;
    this.nudger = nudger;
    this.probes = probes;
    this.retry = retry;
    this.seek = seek;
    this.isAway = isAway;
  }

  /**
   * Offers a stream that is eligible, or whose link or offer was lost. If the lost link still has a
   * silent direction, looks for a session with the process of its peer first.
   */
  void offer(Stream stream) {
    StreamLink lost = stream.link();
    if (lost != null && lost.isDead() && !lost.canReachPeer() && !stream.isJoinable()) {
      seekPeer(stream);
      return;
    }
    if (!stream.isJoinable()
        || (stream.link() == null
            && stream.reason() != Reason.NOT_YET_ELIGIBLE
            && !isWorthRetrying(stream))
        || siblings(stream) > 0) {
      return;
    }
    try {
      InetSocketAddress local = (InetSocketAddress) stream.tcp().getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) stream.tcp().getRemoteAddress();
      Tuple tuple = Tuple.of(local, remote);
      if (tuple.isSelfConnect()) {
        stream.stayPlain(Reason.SELF_CONNECT);
        return;
      }
      boolean reachable = false;
      boolean silent = false;
      Refusal refusal = null;
      int found = 0;
      stream.stayPlain(Reason.OFFERED);
      for (Endpoint endpoint : endpoints) {
        if (endpoint.reaches(local, remote)) {
          reachable = true;
          found =
              endpoint.findPeers(
                  local,
                  remote,
                  session ->
                      backlog.submit(session, stream, () -> send(stream, tuple, null, session)),
                  () -> notFound(stream, endpoint, local, remote));
          refusal = found == 0 && refusal == null ? endpoint.refusal(local, remote) : refusal;
          silent |= found == 0 && endpoint.mayFindLater(remote);
        }
        if (found > 0) {
          break; // endpoints are in the order of preference
        }
      }
      if (found == 0) {
        stream.stayPlain(reachable ? Reason.of(refusal) : Reason.NO_TRANSPORT);
        if (silent) {
          seek.accept(stream);
        }
      }
      unmatched.accept(stream);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The stream was closed before its offer", e);
    }
  }

  /**
   * To open the session is enough: all streams that lost their links to that process hear of it.
   */
  private void seekPeer(Stream stream) {
    try {
      InetSocketAddress local = (InetSocketAddress) stream.tcp().getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) stream.tcp().getRemoteAddress();
      for (Endpoint endpoint : endpoints) {
        if (endpoint.reaches(local, remote)) {
          endpoint.findPeers(local, remote, session -> {}, () -> {});
        }
      }
      unmatched.accept(stream);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The stream was closed before its peer was found", e);
    }
  }

  /** A search in the network ended without an answer. */
  private void notFound(
      Stream stream, Endpoint endpoint, InetSocketAddress local, InetSocketAddress remote) {
    if (stream.reason() == Reason.OFFERED && siblings(stream) == 0) {
      if (endpoint.mayFindLater(remote)) {
        seek.accept(stream); // first: if there is no memory for the rest, this is done again
      }
      stream.stayPlain(Reason.of(endpoint.refusal(local, remote)));
      try {
        unmatched.accept(stream);
      } catch (OutOfMemoryError e) {
        stream.stayPlain(Reason.OFFERED); // not answered yet
        throw e;
      }
    }
  }

  @Override
  public void claim(Stream stream, Tuple tuple, ConnectionName name, Session session) {
    stream.stayPlain(Reason.OFFERED);
    backlog.submit(session, stream, () -> send(stream, tuple, name, session));
  }

  @Override
  public boolean isUnanswered(Stream stream) {
    boolean any = false;
    for (Offer o : pending.values()) {
      if (o.stream.equals(stream)) {
        if (o.proven) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  /**
   * Sends an offer; false if there is none to be answered.
   *
   * @param name by which the peer knows the connection, and is proven; null if by its addresses
   */
  private boolean send(Stream stream, Tuple tuple, @Nullable ConnectionName name, Session session) {
    if (!stream.isJoinable() || (name == null && siblings(stream) >= MAX_SIBLINGS)) {
      return false;
    }
    if (isAway.test(session)) {
      stream.stayPlain(Reason.SLOWER_THAN_TCP);
      seek.accept(stream);
      return false;
    }
    Window window;
    try {
      window = session.allocateWindow();
    } catch (IOException | LinkageError e) { // the JVM never loads again what it had no memory for
      LOG.log(Level.DEBUG, "No window", e);
      if (session.isOpen()) {
        stream.stayPlain(Reason.NO_MEMORY);
      } else {
        offerLost(stream); // it ended between the search and this
      }
      return false;
    }
    long id = links.newId();
    boolean known = false;
    try {
      pending.put(id, new Offer(id, stream, session, window, name != null));
      known = true;
      ByteBuffer frame = Frame.allocate(name == null ? Frame.OFFER : Frame.CLAIM, id);
      if (name != null) {
        frame.putInt(name.sequence());
      }
      tuple.put(frame);
      window.descriptor(frame);
      session.send(frame.flip());
      return true;
    } catch (OutOfMemoryError e) {
      if (!known) {
        window.quarantine();
      }
      session.abort("no memory to send an offer"); // so it is made again
      throw e;
    }
  }

  private int siblings(Stream stream) {
    int n = 0;
    for (Offer o : pending.values()) {
      if (o.stream.equals(stream) && !o.over) {
        n++;
      }
    }
    return n;
  }

  /** The server matched the tuple, and wants to know whether we reach it there. */
  void probe(Session session, long id, ByteBuffer body) throws IOException {
    Frame.require(body, Short.BYTES + PathBeacons.SECRET_BYTES);
    int port = Short.toUnsignedInt(body.getShort());
    byte[] secret = new byte[PathBeacons.SECRET_BYTES];
    body.get(secret);
    Offer offer = pending.get(id);
    if (offer == null || !offer.session.equals(session) || offer.proven) {
      return;
    }
    probes.probe(offer.stream.tcp(), port, secret, reached -> probed(offer, reached));
  }

  private void probed(Offer offer, boolean reached) {
    if (!pending.containsKey(offer.id)) {
      return; // answered or lost meanwhile
    }
    offer.proven = reached;
    if (reached) {
      Frame.send(offer.session, Frame.PROVEN, offer.id);
    } else {
      if (siblings(offer.stream) == 1) {
        offer.stream.stayPlain(Reason.UNPROVEN_PATH);
      }
      Frame.send(offer.session, Frame.WITHDRAW, offer.id); // its REFUSE gives the window back
    }
  }

  /** The server matched the tuple and allocated its window. */
  void accepted(Session session, long id, ByteBuffer body) throws IOException {
    Frame.require(body, Long.BYTES + StreamLink.MARK_BYTES);
    final long peerId = body.getLong();
    byte[] nonce = new byte[StreamLink.MARK_BYTES];
    body.get(nonce);
    Offer offer = find(id, session);
    if (offer == null) {
      // Never offered, or not to this process: it will not be used, so its window is free at once.
      Frame.send(session, Frame.CLOSED, peerId);
      return;
    }
    Stream stream = offer.stream;
    Reason now = stream.reason();
    if (!offer.proven || !stream.isJoinable() || now == Reason.RULE || now == Reason.DISABLED) {
      dismiss(offer, peerId);
      end(offer);
      return;
    }
    StreamLink link;
    try {
      link = links.join(session, id, peerId, offer.window, body, nonce);
    } catch (IOException | LinkageError e) {
      dismiss(offer, peerId);
      if (session.isOpen()) {
        LOG.log(
            Level.WARNING,
            MessageCode.WINDOW_UNUSABLE.text("The accepted window can not be used"),
            e);
        stream.stayPlain(Reason.NO_MEMORY);
      } else {
        offerLost(stream);
      }
      end(offer);
      return;
    }
    link.provePeer(); // by the tuple, by the probe, or by its name
    links.add(link, stream);
    offer.settled = true;
    try {
      link.consumer().credit().open();
      MemoryFaults.settle();
    } catch (InternalError e) {
      session.abort("the peer took away memory of a slab");
    }
    boolean attached = links.attach(link, stream);
    offer.over = true;
    if (attached) {
      withdraw(stream);
    }
    end(offer); // not before: without memory the session ends, and its offers are made again
    if (!attached) {
      links.linkUnused(link);
      return;
    }
    nudger.nudge(stream);
  }

  /**
   * An acceptance that we can not use any more: say so; our window comes back with the peer's
   * CLOSED.
   */
  private void dismiss(Offer offer, long peerId) {
    Frame.send(offer.session, Frame.CLOSED, peerId);
    dismissed.put(offer.id, offer);
    offer.over = true;
  }

  /** The peer says that it will not touch the window of an offer of ours that was never joined. */
  boolean closedThere(Session session, long id) {
    Offer offer = dismissed.get(id);
    if (offer == null || !offer.session.equals(session)) {
      return false;
    }
    dismissed.remove(id);
    offer.giveBack();
    return true;
  }

  /** The server allocated nothing and wrote nothing. */
  void refused(Session session, long id, byte why) {
    Offer offer = find(id, session);
    if (offer != null) {
      if (why != Frame.REFUSED_WITHDRAWN) {
        offer.stream.stayPlain(reason(why));
      }
      offer.giveBack();
      end(offer);
    }
  }

  private static Reason reason(byte why) {
    return switch (why) {
      case Frame.REFUSED_NO_MEMORY -> Reason.NO_MEMORY;
      case Frame.REFUSED_NO_PROOF -> Reason.UNPROVEN_PATH;
      default -> Reason.REFUSED;
    };
  }

  /** The stream was closed or joined: no other process needs to answer. */
  void withdraw(Stream stream) {
    for (Offer o : pending.values()) {
      if (o.stream.equals(stream) && !o.over) {
        Frame.send(o.session, Frame.WITHDRAW, o.id);
      }
    }
  }

  void sessionLost(Session session) {
    backlog.lost(session, this::offerLost);
    for (Offer o : new ArrayList<>(pending.values())) {
      if (o.session.equals(session)) {
        o.over = true;
        offerLost(o.stream);
        o.quarantine();
        pending.remove(o.id); // last: without memory for the rest, all of this is done again
      }
    }
    dismissed
        .values()
        .removeIf(o -> {
          if (o.session.equals(session)) {
            o.quarantine();
          }
          return o.session.equals(session);
        });
  }

  /**
   * Whether a stream whose offer was lost has no final answer yet. The way to its peer may be gone
   * for a while, and a session that ends before it has begun reports nothing. Where this process
   * had no memory for a session, it may have some the next time.
   */
  static boolean isWorthRetrying(Stream stream) {
    Reason reason = stream.reason();
    return reason == Reason.LINK_LOST
        || reason == Reason.OFFERED
        || reason == Reason.SLOWER_THAN_TCP
        || reason == Reason.NO_MEMORY
        || reason.isOfSearch();
  }

  /** The peer may live, and there may be another way to it, or the same one again. */
  private void offerLost(Stream stream) {
    if (stream.link() == null && stream.reason() == Reason.OFFERED && siblings(stream) == 0) {
      retry.accept(stream);
      stream.stayPlain(Reason.LINK_LOST);
    }
  }

  private @Nullable Offer find(long id, Session session) {
    Offer offer = pending.get(id);
    return offer != null && offer.session.equals(session) ? offer : null;
  }

  /** It was answered. */
  private void end(Offer offer) {
    pending.remove(offer.id);
    backlog.answered(offer.session);
  }

  int size() {
    return pending.size();
  }
}
