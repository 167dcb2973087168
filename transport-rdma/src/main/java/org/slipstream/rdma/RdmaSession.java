package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Window;

/**
 * Two processes that share a queue pair. Windows and frames are the reactor's; the queue pair's
 * life is the event thread's.
 */
final class RdmaSession
    implements Session, Connection.Listener, Door.Admitted, Lane.Peer, RailGroup.Member {
  /** The medium, as it is named in settings, {@code ps} and logs. */
  static final String NAME = "rdma";

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** A peer that takes so little is stopped: no new streams for it. */
  private static final long CONGESTED_BYTES = 256 * 1024;

  /** Streams of a peer that has proven nothing. */
  static final int MAX_UNPROVEN_LINKS = 4;

  /** What a session needs of the process that it belongs to. */
  interface Home {
    TransportHost host();

    RdmaSettings settings();

    FabricKey key();

    PinBudget pins();

    /** Which sessions have a larger first ring. */
    FirstRings firstRings();

    /** Which addresses of TCP are those of a peer. Any thread. */
    default FabricAddresses addresses() {
      return FabricAddresses.SAME;
    }

    /** Whether something can be said to the peer: over a port that is active. Event thread. */
    boolean canSend(CmId id);

    /** Closes it when its port can send, or soon if it can. Event thread. */
    void closeWhenActive(CmId id);

    /**
     * A session is over. May be called again if there was no memory for all of it. Event thread.
     */
    void ended(RdmaSession session);

    /** A session that we asked for carries its first stream. Any thread. */
    default void carries(RdmaSession session) {}
  }

  private final Home home;
  private final TransportHost host;
  private final EventThread events;
  private final Connection connection;
  private final SessionFacts facts;

  /** What our windows want. */
  private final RdmaOrder order;

  private final SessionSlabs slabs;

  /** Where the queue pair is. */
  private final DeviceContext device;

  /** Memory was mapped by one of the two ends. Set by the reactor and by the event thread. */
  private volatile boolean holdsMemory;

  /** Written by the event thread, before the reactor hears of the session. */
  private volatile @Nullable ProcessId peer;

  /** Event thread only: sessionOpened has been sent to the reactor. */
  private boolean opened;

  private volatile boolean ended;

  /** Event thread only: rdma_cm has yet to say what the peer answers. */
  private boolean asking;

  /** Event thread only: why the queue pair failed meanwhile. */
  private @Nullable String failedEarly;

  /**
   * Where the peer is: without a key it speaks for no other process, in offers and in what it says
   * to be. Null with a key, as such a peer is believed.
   */
  private final @Nullable InetAddress speaksFrom;

  /** The way that we asked; null if the peer did. */
  private final @Nullable Way asked;

  /** Itself, and the sessions with the same process over other ports. */
  private final RailGroup<RdmaSession> group;

  /** Reactor only: it has carried a stream. */
  private boolean carried;

  /** Set once, by the event thread or by a reader of a stream; read by any. */
  private volatile boolean proven;

  /** Names the session to the peer that may say that it is lost. Event thread only. */
  private Token ticket = Token.NONE;

  private RdmaSession(
      Home home,
      EventThread events,
      CmId id,
      @Nullable Way asked,
      @Nullable InetAddress speaksFrom,
      boolean proven,
      RailGroup<RdmaSession> group)
      throws IOException {
    this.home = home;
    this.group = group;
    this.host = home.host();
    this.events = events;
    this.asked = asked;
    this.facts = SessionFacts.of(id);
    this.device = id.device();
    this.order = home.settings().order(RdmaDevices.isSoftware(id.device().toString()));
    this.speaksFrom = speaksFrom;
    this.proven = proven;
    long most = Connection.mostPinnedBytes();
    if (!host.budget().tryReserve(most)) {
      throw new RefusedException(Refusal.NO_MEMORY_HERE, "slipstream.memory.limit is reached");
    }
    try {
      int maxInline = home.settings().maxInline();
      this.connection =
          home.pins().orGiveWay(() -> new Connection(events, id, maxInline, home.pins(), this));
    } catch (IOException | RuntimeException | Error e) {
      host.budget().release(most);
      throw e;
    }
    host.budget().release(most - connection.pinnedBytes());
    this.slabs =
        new SessionSlabs(
            host.settings().ringBytes(),
            host.budget(),
            home.pins(),
            home.firstRings(),
            connection.domain()::registerWindow,
            connection.domain()::registerSink);
  }

  /** The first one that we ask for on a way. Event thread. */
  static RdmaSession asked(Home home, EventThread events, CmId id, Way way) throws IOException {
    InetAddress to = home.key().isSet() ? null : way.remote().getAddress();
    return new RdmaSession(home, events, id, way, to, true, new RailGroup<>(way));
  }

  /**
   * One that we ask for beside another one: its peer is the same process, and speaks for the same
   * address. Event thread.
   */
  static RdmaSession askedBeside(RdmaSession first, Home home, EventThread events, CmId id, Way way)
      throws IOException {
    return new RdmaSession(home, events, id, way, first.speaksFrom, true, first.group);
  }

  /**
   * One that a peer asks for. Event thread.
   *
   * @param from where it is
   */
  static RdmaSession accepted(Home home, EventThread events, CmId id, InetAddress from)
      throws IOException {
    boolean proven = home.key().isSet();
    InetAddress speaksFrom = proven ? null : from;
    return new RdmaSession(home, events, id, null, speaksFrom, proven, new RailGroup<>(null));
  }

  /** One that a peer asks for beside another one. Event thread. */
  static RdmaSession acceptedBeside(RdmaSession first, Home home, EventThread events, CmId id)
      throws IOException {
    return new RdmaSession(home, events, id, null, first.speaksFrom, first.proven, first.group);
  }

  /** Itself, and the sessions with the same process over other ports. */
  RailGroup<RdmaSession> group() {
    return group;
  }

  /**
   * Whether we asked for it, from there, and a process with this id is at the other end. One over
   * another port than that by which the process was found is none of these: it speaks for another
   * address than its own.
   */
  boolean isTo(ProcessId process, Way way) {
    Way first = group.first();
    return asked != null
        && first != null
        && asked.local().equals(first.local())
        && way.local().equals(asked.local())
        && process.equals(peer)
        && speaksFor(way.remote().getAddress());
  }

  @Override
  public @Nullable Way asked() {
    return asked;
  }

  @Override
  public Token ticket() {
    return ticket;
  }

  /** The end that accepts gave it this ticket. Event thread. */
  void ticket(Token given) {
    ticket = given;
  }

  // -- proof -----------------------------------------------------------------------------------

  @Override
  public boolean isEstablished() {
    return opened;
  }

  @Override
  public boolean isProven() {
    return proven;
  }

  @Override
  public boolean proven() {
    boolean news = !proven;
    proven = true;
    return news;
  }

  /** An unproven peer that says to be the peer of a session is no sign of that peer's life. */
  @Override
  public boolean isSamePeer(Session other) {
    return peer().equals(other.peer())
        && (speaksFrom == null
            || (other instanceof RdmaSession s && speaksFrom.equals(s.speaksFrom)));
  }

  @Override
  public boolean speaksFor(InetAddress client) {
    return speaksFrom == null || home.addresses().isOfHost(speaksFrom, client);
  }

  @Override
  public boolean mayJoin() {
    return proven || slabs.windowsInUse() < MAX_UNPROVEN_LINKS;
  }

  @Override
  public int streams() {
    return slabs.windowsInUse();
  }

  @Override
  public boolean carriesStream() {
    return holdsMemory || slabs.windowsInUse() > 0;
  }

  /** From now on it lives as long as the two processes do. */
  void holdMemory() {
    holdsMemory = true;
  }

  boolean holdsMemory() {
    return holdsMemory;
  }

  @Override
  public DeviceContext device() {
    return device;
  }

  Connection connection() {
    return connection;
  }

  /** For tests. */
  EventThread events() {
    return events;
  }

  /** The caller that asked for it; event thread. */
  void acceptedFrom(ProcessId process) {
    peer = process;
  }

  /** The queue pair is connected; event thread. Frames may have told us before. */
  void established(ProcessId process) {
    if (!opened && !ended) {
      peer = process;
      opened = true;
      connection.keepAlive(() -> trim(System.nanoTime()));
      host.reactor().execute(() -> host.sessionOpened(this));
    }
  }

  /**
   * We connect, and rdma_cm will say what came of it: {@link #answered}, or an end. Event thread.
   */
  void ask() {
    asking = true;
  }

  /** The peer has accepted. Event thread. */
  void answered() {
    asking = false;
    String why = failedEarly;
    if (why != null) {
      failed(why);
    }
  }

  // -- events ----------------------------------------------------------------------------------

  @Override
  public void frame(byte[] frame) {
    established(peer());
    host.reactor()
        .execute(() -> {
          if (ended) {
            return;
          }
          try {
            host.frameReceived(this, ByteBuffer.wrap(frame));
          } catch (IOException | RuntimeException | Error e) {
            // Without memory, too: what was done of a frame is not done again.
            abort(String.valueOf(e.getMessage()));
          }
        });
  }

  /** The other end's device may have said so, or its queue pair; ours says nothing for long. */
  @Override
  public void notice(byte[] ticket) {
    Token over = Token.get(ByteBuffer.wrap(ticket));
    for (RdmaSession other : group.sessions(s -> !s.equals(this) && s.ticket.equals(over))) {
      other.endFor("the peer has lost the session");
    }
  }

  /** Tells the peer that a session beside this one is over. Event thread. */
  void tellEnded(Token over) {
    ByteBuffer notice = ByteBuffer.allocate(Token.BYTES);
    over.put(notice);
    send(notice.flip(), true);
  }

  @Override
  public void failed(String cause) {
    // Perhaps because the link is down, which the device has yet to say: nothing is sent over it.
    for (int attempt = 1; ; attempt++) {
      try {
        events.execute(() -> hasFailed(cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void hasFailed(String cause) {
    if (asking) {
      // Over iWARP a refusal ends the queue pair too, and perhaps before rdma_cm can say it.
      failedEarly = cause;
      return;
    }
    endFor(cause);
  }

  /** Event thread. */
  private void endFor(String cause) {
    CmId open = endSilently(cause);
    if (open != null) {
      home.closeWhenActive(open);
    }
  }

  /**
   * Event thread. Order matters: first the queue pair, so that nothing of the peer's is written any
   * more; then the reactor is told, and what it finds in the windows is final.
   */
  @Override
  public void end(String cause) {
    if (!ended) {
      CmId id = connection.id();
      boolean tells = canTell(id);
      end(cause, !tells);
      if (tells) {
        id.close();
      } else {
        home.closeWhenActive(id);
      }
    }
  }

  /** To ask wants memory, and without any the session ends all the same. */
  private boolean canTell(CmId id) {
    try {
      return home.canSend(id);
    } catch (OutOfMemoryError e) {
      return true;
    }
  }

  /**
   * As {@link #end}, without a word to the peer. Event thread.
   *
   * @return what the caller has to close when the port can send again; null if that was done
   */
  @Nullable CmId endSilently(String cause) {
    if (ended) {
      return null;
    }
    end(cause, true);
    return connection.id();
  }

  /** It is ended once: what a step has no memory for keeps none of the others from being done. */
  private void end(String cause, boolean silently) {
    ended = true;
    try {
      connection.close(silently);
    } finally {
      try {
        release(cause);
      } finally {
        if (opened) {
          tellLost(cause);
        }
      }
    }
  }

  private void release(String cause) {
    try {
      slabs.end();
    } finally {
      connection.closeDomain();
      host.budget().release(connection.pinnedBytes());
      tellHome();
    }
    LOG.log(
        Level.DEBUG,
        () ->
            "A queue pair is closed: "
                + cause
                + "; zero-copy writes: "
                + connection.pinned().zeroCopies());
  }

  /** What still counts it would keep its peer from another one. */
  private void tellHome() {
    for (int attempt = 1; ; attempt++) {
      try {
        home.ended(this);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** Its streams wait for that. */
  private void tellLost(String cause) {
    for (int attempt = 1; ; attempt++) {
      try {
        host.reactor().execute(() -> host.sessionLost(this, cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  // -- Session ---------------------------------------------------------------------------------

  @Override
  public ProcessId peer() {
    return Objects.requireNonNull(peer);
  }

  @Override
  public String transportName() {
    return NAME;
  }

  @Override
  public long roundTripNanos() {
    return home.settings().leavesWhenSlow() ? connection.sendQueue().roundTripNanos() : -1;
  }

  /** Fields of ours only: what is native may be closed meanwhile. */
  @Override
  public Map<String, Object> describe() {
    Map<String, Object> said = facts.members();
    said.put("role", asked == null ? "server" : "client");
    said.put("order", order.text());
    said.put("proven", proven ? "yes" : "no");
    long pinned = connection.pinnedBytes() + connection.pinned().pinnedBytes() + slabs.bytes();
    said.put("pinnedBytes", ended ? 0 : pinned);
    SendQueue queue = connection.sendQueue();
    queue.lock.lock();
    try {
      said.put("queueUsed", ended ? 0 : queue.underWay());
      said.put("queueSize", (long) queue.depth());
      said.put("queueFull", queue.waits());
      said.put("completions", queue.completions());
      said.put("roundTripMicros", queue.roundTripNanos() / 1000);
      said.put("zeroCopies", connection.pinned().zeroCopies());
    } finally {
      queue.lock.unlock();
    }
    return said;
  }

  @Override
  public boolean isOpen() {
    return !ended;
  }

  @Override
  public void send(ByteBuffer frame) {
    send(frame, false);
  }

  private void send(ByteBuffer frame, boolean notice) {
    ByteBuffer copy = ByteBuffer.allocate(frame.remaining()).put(frame).flip();
    SendQueue queue = connection.sendQueue();
    queue.lock.lock();
    try {
      if (!queue.isEnded()) {
        connection.control().send(copy, notice);
      }
    } finally {
      queue.lock.unlock();
    }
  }

  @Override
  public Window allocateWindow() throws IOException {
    if (connection.control().waitingBytes() > CONGESTED_BYTES) {
      throw new IOException("the peer process does not read its session");
    }
    SessionSlabs.Place place = slabs.takeWindow();
    return new RdmaWindow(this::isOpen, place.slab(), place.slot(), order);
  }

  @Override
  public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
    WindowDescriptor window = WindowDescriptor.read(peerDescriptor);
    if (!carried && asked != null) {
      carried = true;
      home.carries(this);
    }
    SessionSlabs.Place place = slabs.takeStaging(window.ringBytes());
    return new RdmaLink(
        connection.sendQueue(),
        connection.pinned(),
        (RdmaWindow) own,
        window,
        place.slab(),
        place.slot());
  }

  /** As {@link SessionSlabs#trim}. */
  void trim(long now) {
    slabs.trim(now);
  }

  @Override
  public void abort(String cause) {
    for (int attempt = 1; ; attempt++) {
      try {
        events.execute(() -> end(cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }
}
