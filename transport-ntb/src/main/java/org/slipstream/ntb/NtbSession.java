package org.slipstream.ntb;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Window;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlabSlots;
import org.slipstream.transport.slab.SlotName;

/**
 * Two processes that have a segment of each other mapped: first the session's own, for messages,
 * then slabs of windows.
 *
 * <p>Reactor only, but for {@link #send}, {@link #abort}, {@link #isOpen}. What a driver may take
 * milliseconds for is done by a handshake on the set-up thread.
 */
final class NtbSession implements Session {
  /** The medium, as it is named in settings, {@code ps} and logs. */
  static final String NAME = "ntb";

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  /** Windows of a slab: adapters have little address space, and memory is there from the start. */
  static final int MOST_SLOTS = 8;

  private static final long CONGESTED_BYTES = 256 * 1024;
  private static final int MAX_PEER_SLABS = 1024;

  /** Bytes whose position has arrived come within so long, or the writer has lost them. */
  private static final long MAX_PENDING_NS = 2_000_000_000;

  /** Who has asked for the session before it was there. */
  private record Waiting(Consumer<Session> answer, Runnable none) {}

  private static final byte FRAME = 1;
  private static final byte SLAB = 2;
  private static final byte MAPPED = 3;

  private final TransportHost host;
  private final SetupThread setup;
  private final Consumer<NtbSession> onEnd;
  private final Fabric fabric;
  private final long name = ThreadLocalRandom.current().nextLong();
  private final int peerNode;
  private final ProcessId peer;
  private final Map<Integer, OwnSlab> ownSlabs = new HashMap<>();
  private final Map<Integer, PeerSlab> peerSlabs = new HashMap<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private final SessionLanes lanes;
  private final SlabSlots slots = new SlabSlots(MOST_SLOTS);
  private int nextSlab;

  /** A slab is being mapped: what comes behind it may name it. */
  private boolean paused;

  private boolean announced;

  /** The process has heard of the end. */
  private boolean told;

  private final Once closing = new Once(this::closeSegments);
  private @Nullable Exported ownSegment;
  private @Nullable Imported peerSegment;

  /** Written by the reactor before any other thread knows the session. */
  private volatile @Nullable MessageRing ring;

  private volatile int peerInbox;
  private volatile long peerName;
  private volatile boolean ended;

  /**
   * One end of a session that has yet to be made.
   *
   * @param setup of the process
   * @param service of the process
   * @param onEnd told on the reactor, once, that the session is over
   * @param peerInbox the number by which the peer is sent messages
   */
  NtbSession(
      TransportHost host,
      SetupThread setup,
      MemoryService service,
      Consumer<NtbSession> onEnd,
      Fabric fabric,
      int peerNode,
      int peerInbox,
      ProcessId peer) {
    this.host = host;
    this.setup = setup;
    this.onEnd = onEnd;
    this.fabric = fabric;
    this.peerNode = peerNode;
    this.peerInbox = peerInbox;
    this.peer = peer;
    SessionLanes.Place place =
        new SessionLanes.Place(fabric, peerNode, setup, host.reactor(), host.budget(), service);
    this.lanes = new SessionLanes(new LaneChannel(), place);
  }

  /** What it does for one-sided memory. */
  SessionLanes lanes() {
    return lanes;
  }

  /** Our name for the session, which the peer uses. */
  long name() {
    return name;
  }

  Fabric fabric() {
    return fabric;
  }

  int peerNode() {
    return peerNode;
  }

  int peerInbox() {
    return peerInbox;
  }

  String fabricName() {
    return fabric.via() + " to node " + peerNode;
  }

  /** Our end's segment; closed with the session. */
  void owns(Exported segment) {
    ownSegment = segment;
  }

  /** The segments of both ends are there. */
  void join(long peersName, Imported theirs, MessageRing messages) {
    peerName = peersName;
    peerSegment = theirs;
    ring = messages;
  }

  /** The peer is proven: frames may flow. */
  void open() {
    if (ended || announced) {
      return;
    }
    announced = true;
    try {
      host.sessionOpened(this);
      while (!waiting.isEmpty()) {
        waiting.getFirst().answer.accept(this);
        waiting.removeFirst();
      }
    } catch (RuntimeException | Error e) { // for want of memory, or of a class that it once had
      fail(String.valueOf(e.getMessage())); // those that have not heard hear so
      return;
    }
    poll();
  }

  /** Calls one of the two, unless it is over already. */
  void whenReady(Consumer<Session> answer, Runnable none) {
    if (announced) {
      answer.accept(this);
    } else {
      waiting.add(new Waiting(answer, none));
    }
  }

  // -- messages --------------------------------------------------------------------------------

  /** Something may have arrived, or there may be room again. */
  void poll() {
    MessageRing r = ring;
    if (r == null || ended || !announced) {
      return;
    }
    try {
      boolean wake = r.flush();
      if (!paused) {
        wake |= r.receive(this::message);
      }
      if (wake) {
        wakePeer();
      }
    } catch (IOException | RuntimeException | Error e) {
      // Without memory, too: a message is taken once, and a stream may wait for what it says.
      fail(String.valueOf(e.getMessage()));
      return;
    }
    lanes.look();
  }

  /** Looks whether the peer and the way to it are still there. */
  void checkHealth() {
    Imported segment = peerSegment;
    if (segment == null || ended) {
      return;
    }
    Imported.Health health = segment.health();
    for (PeerSlab slab : peerSlabs.values()) {
      health = health == Imported.Health.GOOD ? slab.health() : health;
    }
    health = health == Imported.Health.GOOD ? lanes.health() : health;
    if (health == Imported.Health.GOOD && lanes.isUsed() && fabric.isPeerSilent()) {
      health = Imported.Health.GONE; // streams have a TCP connection that would say so
    }
    switch (health) {
      case GOOD -> checkPending();
      case BROKEN -> fail("the link of " + fabricName() + " is broken");
      case GONE -> fail("the peer process ended");
    }
  }

  /** The writer asks its driver what was lost. This is for a driver that does not know. */
  private void checkPending() {
    long now = System.nanoTime();
    for (PeerSlab slab : peerSlabs.values()) {
      if (slab.pendingFor(now) > MAX_PENDING_NS) {
        fail("bytes from " + fabricName() + " were announced and did not come");
        return;
      }
    }
  }

  private boolean wakePeer() {
    return fabric.send(peerNode, peerInbox, Message.wake(peerName));
  }

  private boolean message(byte kind, ByteBuffer body) throws IOException {
    switch (kind) {
      case FRAME -> host.frameReceived(this, body);
      case SLAB -> mapPeerSlab(body);
      case MAPPED -> peerMapped(body);
      case SessionLanes.LANE -> lanes.lane(body);
      case SessionLanes.LANED -> lanes.laned(body);
      default -> throw new IOException("Unexpected message of kind " + kind);
    }
    return !paused && !ended;
  }

  private void mapPeerSlab(ByteBuffer body) throws IOException {
    if (body.remaining() != 16 || peerSlabs.size() >= MAX_PEER_SLABS) {
      throw new IOException("A slab was announced wrongly");
    }
    int index = body.getInt();
    int segmentId = body.getInt();
    SlabLayout layout = new SlabLayout(body.getInt(), body.getInt());
    if (peerSlabs.containsKey(index)) {
      throw new IOException("Slab " + index + " was announced twice");
    }
    paused = true;
    setup.connect(
        fabric,
        peerNode,
        segmentId,
        true,
        mapped -> host.reactor().execute(() -> slabMapped(index, layout, mapped)),
        e -> {
          LOG.log(
              Level.WARNING,
              MessageCode.PEER_MEMORY.text(
                  "Streams of node " + peerNode + " stay on TCP: " + e.getMessage()));
          host.reactor().execute(() -> slabMapped(index, layout, null));
        });
  }

  private void slabMapped(int index, SlabLayout layout, @Nullable Imported imported) {
    paused = false;
    if (ended) {
      if (imported != null) {
        imported.close();
      }
      return;
    }
    if (imported != null) {
      try {
        peerSlabs.put(index, new PeerSlab(imported, layout, setup));
      } catch (IOException e) {
        fail(String.valueOf(e.getMessage()));
        return;
      }
    }
    post(
        MAPPED, ByteBuffer.allocate(5).putInt(index).put((byte) (imported == null ? 0 : 1)).flip());
    poll();
  }

  private void peerMapped(ByteBuffer body) throws IOException {
    OwnSlab slab = body.remaining() == 5 ? ownSlabs.get(body.getInt()) : null;
    if (slab == null) {
      throw new IOException("A slab was confirmed that does not exist");
    }
    if (body.get() == 0) {
      slab.markUnusable();
    }
  }

  private void post(byte kind, ByteBuffer body) {
    MessageRing r = ring;
    if (r != null && !ended && r.send(kind, body)) {
      wakePeer();
    }
  }

  // -- Session ---------------------------------------------------------------------------------

  @Override
  public ProcessId peer() {
    return peer;
  }

  @Override
  public String transportName() {
    return NAME;
  }

  @Override
  public Map<String, Object> describe() {
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("device", fabric.via());
    said.put("address", "node " + peerNode);
    return said;
  }

  @Override
  public boolean isOpen() {
    return !ended;
  }

  @Override
  public void send(ByteBuffer frame) {
    post(FRAME, frame);
  }

  @Override
  public Window allocateWindow() throws IOException {
    MessageRing r = ring;
    if (ended || r == null) {
      throw new IOException("the session is over");
    }
    if (r.queuedBytes() > CONGESTED_BYTES) {
      throw new IOException("the peer process does not read its session");
    }
    for (OwnSlab slab : ownSlabs.values()) {
      NtbWindow window = slab.take();
      if (window != null) {
        return window;
      }
    }
    int index = nextSlab++;
    int ringBytes = slots.nextRing(host.settings().ringBytes());
    SlabLayout layout = new SlabLayout(slots.next(ringBytes), ringBytes);
    OwnSlab slab = new OwnSlab(fabric, index, layout, host.budget(), this::isOpen, setup);
    try {
      slots.made(layout.slots());
      ownSlabs.put(index, slab);
      post(
          SLAB,
          ByteBuffer.allocate(16)
              .putInt(index)
              .putInt(slab.segmentId())
              .putInt(layout.slots())
              .putInt(layout.ringBytes())
              .flip());
    } catch (OutOfMemoryError e) {
      giveUp(slab);
      throw e;
    }
    return Objects.requireNonNull(slab.take());
  }

  /** The peer can join none of its windows, and it may be in no table. */
  private void giveUp(OwnSlab slab) {
    for (int attempt = 1; ; attempt++) {
      try {
        abort("a slab could not be announced");
        slab.sessionEnded();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  @Override
  public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
    SlotName peers = SlotName.read(peerDescriptor);
    PeerSlab slab = peerSlabs.get(peers.slab());
    if (slab == null) {
      throw new IOException("The peer names a slab that is not mapped");
    }
    return slab.join(
        () -> abort("the link of " + fabricName() + " loses stores"), own, peers.slot());
  }

  @Override
  public void abort(String cause) {
    for (int attempt = 1; ; attempt++) {
      try {
        host.reactor().execute(() -> fail(cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** Ends it. Reactor. */
  void fail(String cause) {
    if (ended) {
      return;
    }
    ended = true;
    while (true) { // however long there is no memory for it: streams wait to hear of the failure
      try {
        finish(cause);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  /** Runs again from its beginning if there was no memory for all of it. */
  private void finish(String cause) {
    LOG.log(Level.DEBUG, () -> "Session over " + fabricName() + " is over: " + cause);
    MessageRing r = ring;
    if (r != null) {
      r.close();
    }
    onEnd.accept(this);
    if (announced && !told) {
      host.sessionLost(this, cause);
      told = true;
    }
    ownSlabs.values().forEach(OwnSlab::sessionEnded);
    peerSlabs.values().forEach(PeerSlab::sessionEnded);
    lanes.end();
    while (!waiting.isEmpty()) {
      waiting.getFirst().none.run();
      waiting.removeFirst();
    }
    setup.execute(closing);
  }

  /** Set-up thread. */
  private void closeSegments() {
    Imported theirs = peerSegment;
    if (theirs != null) {
      theirs.close();
    }
    Exported own = ownSegment;
    if (own != null) {
      own.close();
    }
  }

  /** The session, as lanes use it. */
  private final class LaneChannel implements SessionLanes.Channel {
    @Override
    public void post(byte kind, ByteBuffer body) {
      NtbSession.this.post(kind, body);
    }

    @Override
    public boolean wakePeer() {
      return NtbSession.this.wakePeer();
    }

    @Override
    public void abort(String cause) {
      NtbSession.this.abort(cause);
    }

    @Override
    public boolean isOpen() {
      return !ended;
    }
  }
}
