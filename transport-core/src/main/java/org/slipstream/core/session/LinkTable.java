package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.PeerPipes;
import org.slipstream.core.doorbell.WindowDoorbell;
import org.slipstream.core.ring.PipeDoorbell;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * The links of a process by name, and the rule by which their memory comes back: a window is reused
 * only when our stream is closed <em>and</em> the peer has said CLOSED. Reactor only, but for
 * {@link StreamLink.LinkControl}.
 */
final class LinkTable implements StreamLink.LinkControl {

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.links");

  /**
   * Between looks for control bytes at a stream whose reader is inside: twice as long each time.
   */
  private static final long FIRST_LOOK_NS = 1_000_000;

  private static final long LAST_LOOK_NS = 2_000_000_000L;

  private static final class Entry {
    final StreamLink link;
    final Stream stream;
    boolean unusedHere;

    /** The peer knows that it is unused here, or is gone. */
    boolean told;

    boolean closedThere;
    boolean lost;

    /** The peer was never told of the link. */
    boolean refused;

    /** Its stream had a link before, and lost it. */
    final boolean another;

    Entry(StreamLink link, Stream stream) {
      this.link = link;
      this.stream = stream;
      this.another = stream.link() != null; // it is made before it is the stream's
    }
  }

  private final Reactor reactor;
  private final Losses losses;
  private final Consumer<Session> proven;
  private final Map<Long, Entry> entries = new HashMap<>();

  /** Open sessions by the process that their other end says to be. */
  private final Map<ProcessId, List<Session>> sessions = new HashMap<>();

  /** The pipes of the peers of sessions that have had links. */
  private final Map<Session, PeerPipes> pipes = new HashMap<>();

  private final DoorbellSource doorbells;

  private long nextId = 1;

  /** Hears of streams whose links failed while the streams live. */
  @FunctionalInterface
  interface Losses {
    /**
     * A stream may have to fall back to TCP, or to be made to.
     *
     * @param stream whose link failed
     * @param first false if it was said of this link before; what was done then may not have been
     *     enough, since each direction finds out for itself
     */
    void lost(Stream stream, boolean first);
  }

  /**
   * Makes a table.
   *
   * @param reactor on which it lives
   * @param losses told of streams whose links failed; on the reactor
   */
  LinkTable(Reactor reactor, Losses losses) {
    this(reactor, losses, session -> {}, DoorbellSource.NONE);
  }

  /**
   * Makes a table.
   *
   * @param reactor on which it lives
   * @param losses told of streams whose links failed; on the reactor
   * @param proven told of sessions that may have more links than before; on the reactor
   * @param doorbells for peers whose event loops are woken by pipes
   */
  LinkTable(Reactor reactor, Losses losses, Consumer<Session> proven, DoorbellSource doorbells) {
    this.reactor = reactor;
    this.losses = losses;
    this.proven = proven;
    this.doorbells = doorbells;
  }

  long newId() {
    return nextId++;
  }

  /**
   * Makes a link over our window and the one that a peer describes; {@link #add} follows.
   *
   * @throws IOException if the peer's window can not be used
   * @throws LinkageError if the JVM once had no memory, or no descriptor, for a class that is
   *     needed
   */
  StreamLink join(
      Session session, long id, long peerId, Window window, ByteBuffer peerWindow, byte[] nonce)
      throws IOException {
    Link joined = session.join(window, peerWindow);
    try {
      return new StreamLink(session, id, peerId, window, joined, nonce, this);
    } catch (LinkageError | OutOfMemoryError e) {
      joined.release();
      throw e;
    }
  }

  void add(StreamLink link, Stream stream) {
    try {
      entries.put(link.id(), new Entry(link, stream));
    } catch (OutOfMemoryError e) {
      link.link().release();
      throw e;
    }
  }

  int size() {
    return entries.size();
  }

  /** Whether the link that a stream has is not its first. */
  boolean isAnother(Stream stream) {
    StreamLink link = stream.link();
    Entry entry = link == null ? null : entries.get(link.id());
    return entry != null && entry.another;
  }

  /** Reactor, as links are made there. */
  @Override
  public PipeDoorbell pipeDoorbell(Session session, Link link) {
    Doorbells ours = session.mayUsePipes() ? doorbells.doorbells() : null;
    if (ours == null) {
      return PipeDoorbell.NONE;
    }
    PeerPipes peer = pipes.computeIfAbsent(session, s -> ours.of(s, reactor));
    peer.linkMade();
    return new WindowDoorbell(link, peer, ours.futexes());
  }

  // -- what streams ask, any thread ------------------------------------------------------------

  @Override
  public void sendCreditNotice(StreamLink link) {
    Frame.send(link.session(), Frame.CREDIT, link.peerId());
  }

  @Override
  public void sendRevoke(StreamLink link) {
    Frame.send(link.session(), Frame.REVOKE, link.peerId());
  }

  @Override
  public void askToLook(StreamLink link) {
    Frame.send(link.openSession(), Frame.LOOK, link.peerId());
  }

  @Override
  public void linkProven(StreamLink link) {
    Session session = link.session();
    if (session.proven()) {
      reactor.execute(() -> proven.accept(session));
    }
  }

  @Override
  public void linkFailed(StreamLink link) {
    reactor.execute(() -> {
      Entry entry = entries.get(link.id());
      if (entry != null && !entry.unusedHere) {
        fail(entry);
      }
    });
  }

  /** A session is lost, and each direction finds that out: that is one loss, said three times. */
  private void fail(Entry entry) {
    entry.link.markLost();
    entry.stream.linkChanged();
    if (entry.link.equals(entry.stream.link())) {
      boolean first = !entry.lost;
      entry.lost = true;
      losses.lost(entry.stream, first);
    }
  }

  /**
   * Gives a stream its link. Reactor.
   *
   * @return as {@link Stream#attach}
   * @throws OutOfMemoryError and then the session ends; a link that the stream has not got is given
   *     back, as only a stream does that
   */
  boolean attach(StreamLink link, Stream stream) {
    try {
      return stream.attach(link);
    } catch (OutOfMemoryError e) {
      if (!link.equals(stream.link())) {
        linkUnused(link);
      }
      throw e;
    }
  }

  @Override
  public void linkUnused(StreamLink link) {
    for (int attempt = 1; ; attempt++) {
      try {
        reactor.execute(() -> unusedHere(link));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  // -- reactor ---------------------------------------------------------------------------------

  /**
   * The stream of an offer was closed before its acceptance could be sent: the offer is refused
   * when the link is {@linkplain #linkUnused unused}, since then no thread of ours can store into
   * the peer's window any more. Reactor.
   */
  void refuse(StreamLink link) {
    Entry entry = entries.get(link.id());
    if (entry != null) {
      entry.refused = true;
    }
  }

  private void unusedHere(StreamLink link) {
    Entry entry = entries.get(link.id());
    if (entry == null || entry.told) {
      return;
    }
    if (!entry.unusedHere) {
      entry.unusedHere = true;
      PeerPipes peer = pipes.get(link.session());
      if (peer != null) {
        peer.linkGone();
      }
      link.link().release();
    }
    if (entry.refused) {
      Frame.refuse(link.session(), link.peerId(), Frame.REFUSED_NOT_ELIGIBLE);
      entry.closedThere = true; // the peer has never had the window
    } else if (link.session().isOpen()) {
      Frame.send(link.session(), Frame.CLOSED, link.peerId());
    } else {
      entry.closedThere = true;
    }
    entry.told = true;
    freeIfDone(entry);
  }

  private void freeIfDone(Entry entry) {
    if (entry.unusedHere && entry.closedThere) {
      entries.remove(entry.link.id());
      giveBack(entry.link.session(), entry.link.window());
    }
  }

  static void giveBack(Session session, Window window) {
    if (session.isOpen()) {
      window.free();
    } else {
      window.quarantine();
    }
  }

  void closedThere(long id, Session from) {
    Entry entry = find(id, from);
    if (entry != null) {
      entry.closedThere = true;
      freeIfDone(entry);
      if (!entry.unusedHere) {
        entry.link.markPeerClosed();
        entry.stream.linkChanged();
      }
    }
  }

  /**
   * The peer takes an offer back that we have accepted: it will not use the link. The stream may be
   * that of a younger connection of the same addresses, whose own offer comes next.
   */
  void withdrawn(Session from, long peerId) {
    for (Entry entry : entries.values()) {
      if (entry.link.peerId() == peerId && entry.link.session().equals(from)) {
        entry.link.markLost();
      }
    }
  }

  void credit(long id, Session from) {
    Entry entry = find(id, from);
    if (entry != null) {
      entry.stream.linkChanged();
    }
  }

  /** The peer has written control bytes that our program may not read for long. */
  void look(long id, Session from) {
    Entry entry = entries.get(id);
    // Perhaps on a later session of the same process than that of the link.
    if (entry != null && areOfOnePeer(entry.link.session(), from)) {
      look(entry, FIRST_LOOK_NS);
    }
  }

  /** A reader that is inside may have looked just before the bytes came. */
  private void look(Entry entry, long pauseNs) {
    boolean taken;
    try {
      taken = entry.unusedHere || entry.stream.takeControlBytes();
    } catch (IOException | RuntimeException | InternalError e) {
      LOG.log(Level.DEBUG, "The stream ended before its control bytes were taken", e);
      return;
    }
    if (!taken && pauseNs <= LAST_LOOK_NS) {
      reactor.schedule(pauseNs, () -> look(entry, 2 * pauseNs));
    }
  }

  /** The peer wants a direction back to TCP; returns its stream, which may be silent. */
  @Nullable Stream revoke(long id, Session from) {
    Entry entry = find(id, from);
    if (entry == null) {
      return null;
    }
    entry.link.markRevoked();
    entry.stream.linkChanged();
    return entry.stream;
  }

  /** A peer may name only links of its own session. */
  private @Nullable Entry find(long id, Session from) {
    Entry entry = entries.get(id);
    return entry != null && entry.link.session().equals(from) ? entry : null;
  }

  /**
   * There is a session with a process.
   *
   * @return streams that lost their links to that process; their control bytes will be read now
   */
  List<Stream> sessionOpened(Session session) {
    sessions.computeIfAbsent(session.peer(), p -> new ArrayList<>(2)).add(session);
    List<Stream> lost = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.lost && areOfOnePeer(entry.link.session(), session)) {
        entry.link.reachedOver(session);
        lost.add(entry.stream);
      }
    }
    return lost;
  }

  /** Takes a session that is open by now for notices about a link whose own one is over. */
  void findPeerOf(StreamLink link) {
    for (Session open : sessions.getOrDefault(link.session().peer(), List.of())) {
      if (areOfOnePeer(link.session(), open)) {
        link.reachedOver(open);
      }
    }
  }

  /** Both transports have to say so: one of them may be sure of nothing but a claimed id. */
  private static boolean areOfOnePeer(Session one, Session other) {
    return one.isSamePeer(other) && other.isSamePeer(one);
  }

  void sessionLost(Session session) {
    sessions.computeIfPresent(
        session.peer(),
        (peer, open) -> {
          open.remove(session);
          return open.isEmpty() ? null : open;
        });
    PeerPipes peer = pipes.remove(session);
    if (peer != null) {
      peer.end();
    }
    List<Entry> failed = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.link.session().equals(session)) {
        failed.add(entry);
      }
    }
    for (Entry entry : failed) {
      entry.closedThere = true;
      fail(entry);
      freeIfDone(entry);
    }
  }
}
