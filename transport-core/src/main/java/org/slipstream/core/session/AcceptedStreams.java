package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.ConnectionNames;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.RandomBits;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * The server's side of an upgrade: accepted streams by tuple, offers by tuple; whichever comes
 * second makes the match. Programs' threads only touch the two concurrent maps.
 */
final class AcceptedStreams {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.accepted");

  /** Unmatched offers of one session; more are refused, so that no peer fills our memory. */
  private static final int MAX_OFFERS = 4096;

  /** Connections that are named in an answer to SEEK; others with such a number are rare. */
  private static final int MAX_FOUND = 8;

  /** Of a connection whose first segment the kernel has not kept. */
  private static final SegmentHead UNKNOWN = new SegmentHead(0, -1, 0);

  private static final class Offer {
    final Session session;
    final long id;
    final ByteBuffer descriptor;

    /** The client was told where it can read our secret. */
    boolean probed;

    /** It has read it, or an address means the same at both ends. */
    boolean proven;

    /** Of a claim: the first sequence number of the connection that is meant. */
    final @Nullable Integer sequence;

    Offer(Session session, long id, ByteBuffer descriptor, @Nullable Integer sequence) {
      this.session = session;
      this.id = id;
      this.descriptor = descriptor;
      this.sequence = sequence;
      this.proven = sequence != null || session.isSameNetwork();
    }
  }

  private final LinkTable links;
  private final Reactor reactor;
  private final PathBeacons beacons;
  private final Predicate<SocketChannel> connected;
  private final ConnectionNames names;
  private final Map<Tuple, Stream> accepted = new ConcurrentHashMap<>();
  private final Map<Tuple, Offer> offers = new ConcurrentHashMap<>();

  /** First segments of accepted streams, once a peer has sought one. Written by the reactor. */
  private final Map<Stream, SegmentHead> firsts = new ConcurrentHashMap<>();

  /** Reactor only. */
  private final Map<Session, Integer> offersOf = new HashMap<>();

  /**
   * Makes the tables.
   *
   * @param beacons let clients of other network namespaces prove the path
   * @param connected whether the kernel still has a peer for a socket: the accept queue may hold an
   *     older, dead connection of the same tuple
   * @param names of accepted streams whose addresses are translated
   */
  AcceptedStreams(
      LinkTable links,
      Reactor reactor,
      PathBeacons beacons,
      Predicate<SocketChannel> connected,
      ConnectionNames names) {
    this.names = names;
    this.links = links;
    this.beacons = beacons;
    this.reactor = reactor;
    this.connected = connected;
  }

  /** A program accepted a stream. Any thread; cheap. */
  void add(Tuple tuple, Stream stream) {
    accepted.put(tuple, stream);
    if (!offers.isEmpty() && offers.containsKey(tuple)) {
      reactor.execute(() -> match(tuple));
    }
  }

  /** A stream was closed. Any thread; cheap. */
  void remove(Tuple tuple, Stream stream) {
    if (accepted.remove(tuple, stream)) {
      firsts.remove(stream);
    }
  }

  /**
   * Whether a connection from there is open. Any thread. Looks at all of them: sessions begin
   * seldom, and to count the clients would cost at each connection.
   */
  boolean hasAcceptedFrom(InetAddress client) {
    byte[] ip = Tuple.canonical(client);
    for (Tuple tuple : accepted.keySet()) {
      if (tuple.isFrom(ip)) {
        return true;
      }
    }
    return false;
  }

  /** OFFER; reactor. */
  void offered(Session session, long id, ByteBuffer body) throws IOException {
    offered(session, id, Tuple.get(body), null, body);
  }

  /** SEEK; reactor. Each connection is asked for its first segment once. */
  void sought(Session session, long id, ByteBuffer body) throws IOException {
    Frame.require(body, Short.BYTES);
    short hint = body.getShort();
    ByteBuffer answer = Frame.allocate(Frame.FOUND, id);
    int n = 0;
    for (Map.Entry<Tuple, Stream> e : accepted.entrySet()) {
      SegmentHead first = first(e.getKey(), e.getValue());
      if (first != null && (short) first.sequence() == hint && n++ < MAX_FOUND) {
        answer.putInt(first.sequence()).putInt(first.clock());
        e.getKey().put(answer);
      }
    }
    session.send(answer.flip());
  }

  private @Nullable SegmentHead first(Tuple tuple, Stream stream) {
    SegmentHead known = firsts.get(stream);
    if (known == null) {
      SegmentHead read = names.firstSegment(stream.tcp());
      known = read == null ? UNKNOWN : read;
      firsts.put(stream, known);
      if (!stream.equals(accepted.get(tuple))) {
        firsts.remove(stream); // closed meanwhile
      }
    }
    return known.equals(UNKNOWN) ? null : known;
  }

  /** CLAIM; reactor. */
  void claimed(Session session, long id, ByteBuffer body) throws IOException {
    Frame.require(body, Integer.BYTES);
    int sequence = body.getInt();
    Tuple tuple = Tuple.get(body);
    if (accepted.containsKey(tuple)) {
      offered(session, id, tuple, sequence, body);
    } else {
      Frame.refuse(session, id, Frame.REFUSED_NOT_ELIGIBLE); // closed meanwhile
    }
  }

  /** Whether a stream is the one that an offer names, beside its addresses. */
  private boolean isMeant(Tuple tuple, Stream stream, Offer offer) {
    SegmentHead first = offer.sequence == null ? null : first(tuple, stream);
    return offer.sequence == null || (first != null && first.sequence() == offer.sequence);
  }

  private void offered(
      Session session, long id, Tuple tuple, @Nullable Integer sequence, ByteBuffer body) {
    if (!session.speaksFor(tuple.client())) {
      Frame.refuse(session, id, Frame.REFUSED_NOT_ELIGIBLE);
      return;
    }
    int waiting = offersOf.getOrDefault(session, 0);
    if (waiting >= MAX_OFFERS) {
      Frame.refuse(session, id, Frame.REFUSED_TOO_MANY);
      return;
    }
    ByteBuffer descriptor = ByteBuffer.allocate(body.remaining()).put(body).flip();
    Offer older = offers.put(tuple, new Offer(session, id, descriptor, sequence));
    try {
      offersOf.merge(session, 1, Integer::sum);
      if (older != null) {
        // The tuple was used before: that socket is gone, or its process lies.
        forget(older);
        Frame.refuse(older.session, older.id, Frame.REFUSED_WITHDRAWN);
      }
    } catch (OutOfMemoryError e) {
      if (older != null) {
        older.session.abort("no memory to refuse an offer"); // it is in no table any more
      }
      throw e;
    }
    match(tuple);
  }

  private void forget(Offer offer) {
    offersOf.computeIfPresent(offer.session, (s, n) -> n > 1 ? n - 1 : null);
  }

  /** WITHDRAW; reactor. */
  void withdrawn(Session session, long id) {
    boolean waited =
        offers
            .entrySet()
            .removeIf(e -> {
              Offer o = e.getValue();
              if (o.session.equals(session) && o.id == id) {
                forget(o);
                Frame.refuse(session, id, Frame.REFUSED_WITHDRAWN);
                return true;
              }
              return false;
            });
    if (!waited) {
      links.withdrawn(session, id);
    }
  }

  /** It may have more links than before. Reactor. */
  void sessionProven(Session session) {
    offers.entrySet().stream()
        .filter(e -> e.getValue().session.equals(session))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(this::match);
  }

  void sessionLost(Session session) {
    offers.values().removeIf(o -> o.session.equals(session));
    offersOf.remove(session);
  }

  private void match(Tuple tuple) {
    Stream stream = accepted.get(tuple);
    Offer offer = offers.get(tuple);
    if (stream == null || offer == null || !connected.test(stream.tcp())) {
      return;
    }
    if (!offer.session.mayJoin()) {
      return; // until the session is proven
    }
    if (!offer.proven && probe(stream, offer)) {
      return;
    }
    offers.remove(tuple);
    try {
      answer(tuple, stream, offer);
    } catch (OutOfMemoryError e) {
      offer.session.abort("no memory to answer an offer"); // so it is made again
      throw e;
    }
  }

  private void answer(Tuple tuple, Stream stream, Offer offer) {
    forget(offer);
    boolean young =
        stream.link() != null
            || stream.reason() == Reason.NOT_YET_ELIGIBLE
            || stream.reason() == Reason.NO_MEMORY; // of ours, for an earlier offer
    if (!isMeant(tuple, stream, offer) || !young || !stream.isJoinable()) {
      Frame.refuse(offer.session, offer.id, Frame.REFUSED_NOT_ELIGIBLE);
      return;
    }
    if (!offer.session.isOpen()) {
      return;
    }
    if (!offer.proven) {
      Frame.refuse(offer.session, offer.id, Frame.REFUSED_NO_PROOF);
      return;
    }
    join(stream, offer);
  }

  /** The offer waits for the client's proof; false if it can not be asked for one. */
  private boolean probe(Stream stream, Offer offer) {
    if (offer.probed) {
      return true;
    }
    try {
      PathBeacons.Beacon beacon = beacons.at(stream.tcp().getLocalAddress());
      offer.session.send(
          Frame.allocate(Frame.PROBE, offer.id)
              .putShort((short) beacon.port())
              .put(beacon.secret())
              .flip());
      offer.probed = true;
      return true;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "No way to prove the path", e);
      return false;
    }
  }

  /** PROVEN; reactor. */
  void proven(Session session, long id) {
    for (Map.Entry<Tuple, Offer> e : offers.entrySet()) {
      Offer offer = e.getValue();
      if (offer.session.equals(session) && offer.id == id && offer.probed) {
        offer.proven = true;
        match(e.getKey());
        return;
      }
    }
  }

  private void join(Stream stream, Offer offer) {
    Session session = offer.session;
    byte[] nonce = new byte[StreamLink.MARK_BYTES];
    RandomBits.fill(nonce);
    Window window = null;
    StreamLink link;
    try {
      window = session.allocateWindow();
      link = links.join(session, links.newId(), offer.id, window, offer.descriptor, nonce);
      links.add(link, stream);
    } catch (IOException | LinkageError e) { // the JVM never loads again what it had no memory for
      LOG.log(Level.DEBUG, "No link", e);
      free(window);
      if (session.isOpen()) { // else the peer offers it again, over the next session
        stream.stayPlain(Reason.NO_MEMORY);
        Frame.refuse(session, offer.id, Frame.REFUSED_NO_MEMORY);
      }
      return;
    } catch (OutOfMemoryError e) {
      if (window != null) {
        window.quarantine(); // the session ends
      }
      throw e;
    }
    try {
      link.consumer().credit().open();
      MemoryFaults.settle();
    } catch (InternalError e) {
      session.abort("the peer took away memory of a slab");
    }
    // Attached before the client can know the nonce: the thread that reads MARK finds the link.
    boolean attached = links.attach(link, stream);
    boolean open = stream.isOpen(); // then its close will know of the link
    if (!attached || !open) {
      // Closed perhaps without regard to a link: MARK would meet a closed socket, whose kernel
      // answers with a reset and drops what it has not sent of the last answer.
      links.refuse(link);
      if (!attached) {
        links.linkUnused(link);
      }
      return;
    }
    ByteBuffer frame = Frame.allocate(Frame.ACCEPT, offer.id).putLong(link.id()).put(nonce);
    window.descriptor(frame);
    session.send(frame.flip());
  }

  private static void free(@Nullable Window window) {
    if (window != null) {
      window.free();
    }
  }

  int waitingOffers() {
    return offers.size();
  }
}
