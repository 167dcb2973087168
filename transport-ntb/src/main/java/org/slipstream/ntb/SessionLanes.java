package org.slipstream.ntb;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.Reactor;

/**
 * What one session does for one-sided memory: what its peer was granted of ours, the lanes on which
 * the peer asks for it, and the lanes on which queues of this process ask for the peer's. Reactor
 * only, where a method does not say otherwise.
 *
 * <p>A lane begins with two messages of the session, all numbers big-endian:
 *
 * <pre>
 *   4 LANE     lane(4) segment(4)    client: answers go into that segment; the number is the client's
 *   5 LANED    lane(4) segment(4)    owner: requests go into that one; 0 = there is no such lane
 * </pre>
 *
 * <p>It ends with the session: a queue that is closed leaves its lane to the next one, since memory
 * that a peer may store into can not be used for anything else.
 */
final class SessionLanes implements NtbPeerMemory.Lanes, ClientLane.Way {
  static final byte LANE = 4;
  static final byte LANED = 5;

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");
  private static final int MESSAGE_BYTES = 2 * Integer.BYTES;

  /** Lanes of one direction; each is a queue of the client's. */
  private static final int MOST = 256;

  /** The session, as its lanes use it; any thread. */
  interface Channel {
    /** Sends a message. */
    void post(byte kind, ByteBuffer body);

    /** Interrupts the peer's node. */
    boolean wakePeer();

    /** Ends the session. */
    void abort(String cause);

    /** Whether it is still usable. */
    boolean isOpen();
  }

  /**
   * Where the segments are.
   *
   * @param fabric of the session
   * @param node of the peer
   * @param setup makes segments and maps them
   * @param reactor of the process
   * @param budget of the process
   * @param service carries out what peers ask for
   */
  record Place(
      Fabric fabric,
      int node,
      SetupThread setup,
      Reactor reactor,
      MemoryBudget budget,
      MemoryService service) {}

  /** The two segments of a lane, and what ours takes of the budget. Set-up thread. */
  private static final class Segments {
    private final MemoryBudget budget;
    final Exported own;
    private @Nullable Imported peer;
    private boolean closed;

    Segments(Place place) throws IOException {
      budget = place.budget;
      if (!budget.tryReserve(LaneLayout.BYTES)) {
        throw new IOException("slipstream.memory.limit is reached");
      }
      try {
        own = place.fabric.export(LaneLayout.BYTES);
      } catch (IOException e) {
        budget.release(LaneLayout.BYTES);
        throw e;
      }
    }

    /** Takes over the peer's segment. */
    void join(Imported theirs) throws IOException {
      peer = theirs;
      if (closed) {
        theirs.close();
        throw new IOException("the session is over");
      }
      if (theirs.memory().byteSize() < LaneLayout.BYTES) {
        throw new IOException("The peer's lane has " + theirs.memory().byteSize() + " bytes");
      }
    }

    void close() {
      if (closed) {
        return; // the end of a session that ran out of memory asks again
      }
      closed = true;
      if (peer != null) {
        peer.close();
      }
      own.close();
      budget.release(LaneLayout.BYTES);
    }
  }

  /** A lane of a queue of this process. */
  private static final class Asking {
    final ClientLane lane;
    final Segments segments;
    boolean answered;
    @Nullable Imported peer;

    Asking(ClientLane lane, Segments segments) {
      this.lane = lane;
      this.segments = segments;
    }
  }

  /** A lane of a queue of the peer's, or what is there of it. */
  private static final class Serving {
    @Nullable Segments segments;
    @Nullable OwnerLane lane;
    @Nullable Imported peer;
  }

  private final Channel channel;
  private final Place place;
  private final GrantTable grants = new GrantTable();
  private final Map<Integer, Asking> asking = new HashMap<>();
  private final Map<Integer, Serving> serving = new HashMap<>();
  private int lanes;
  private boolean ended;

  /** Of queues that are closed; guarded by itself. */
  private final Deque<ClientLane> free = new ArrayDeque<>();

  /** Memory was granted to the peer, or by it. Written by any thread, only to true. */
  private volatile boolean used;

  SessionLanes(Channel channel, Place place) {
    this.channel = channel;
    this.place = place;
  }

  /** What the peer was granted; safe for any thread. */
  GrantTable grants() {
    return grants;
  }

  /** From now on there is no other sign of the peer's end than this session's. Any thread. */
  void use() {
    used = true;
  }

  /** Any thread. */
  boolean isUsed() {
    return used;
  }

  // -- for queues ------------------------------------------------------------------------------

  @Override
  public ClientLane take() {
    synchronized (free) {
      ClientLane known = free.poll();
      if (known != null) {
        known.handOver();
        return known;
      }
    }
    ClientLane lane = new ClientLane(this, System::nanoTime);
    place.reactor.execute(() -> ask(lane));
    return lane;
  }

  @Override
  public void giveBack(ClientLane lane) {
    if (!lane.isOver()) {
      synchronized (free) {
        free.add(lane);
      }
    }
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public boolean wake() {
    return channel.wakePeer();
  }

  @Override
  public void abort(String cause) {
    channel.abort(cause);
  }

  // -- the client's end ------------------------------------------------------------------------

  private void ask(ClientLane lane) {
    if (ended) {
      lane.end();
      return;
    }
    int number = lanes++;
    place.setup.execute(() -> {
      try {
        Segments segments = new Segments(place);
        place.reactor.execute(() -> ask(number, lane, segments));
      } catch (IOException e) {
        noLane(lane, e);
      }
    });
  }

  private void noLane(ClientLane lane, IOException e) {
    LOG.log(Level.DEBUG, "No lane to the memory of node " + place.node, e);
    lane.end();
  }

  private void ask(int number, ClientLane lane, Segments segments) {
    if (ended) {
      place.setup.execute(segments::close);
      lane.end();
      return;
    }
    asking.put(number, new Asking(lane, segments));
    channel.post(LANE, message(number, segments.own.id()));
  }

  private static ByteBuffer message(int number, int segment) {
    return ByteBuffer.allocate(MESSAGE_BYTES).putInt(number).putInt(segment).flip();
  }

  /** The owner answers. */
  void laned(ByteBuffer body) throws IOException {
    int number = number(body);
    int segment = body.getInt();
    Asking one = asking.get(number);
    if (one == null || one.answered) {
      throw new IOException("The peer opens a lane for which it was not asked");
    }
    one.answered = true;
    if (segment == 0) {
      noLane(one.lane, new IOException("the owner has no room for one"));
      return;
    }
    connect(
        segment,
        one.segments,
        peer -> {
          one.peer = peer;
          one.lane.open(one.segments.own.memory(), peer);
        },
        one.lane::end);
  }

  private static int number(ByteBuffer body) throws IOException {
    if (body.remaining() != MESSAGE_BYTES) {
      throw new IOException("A lane was described with " + body.remaining() + " bytes");
    }
    return body.getInt();
  }

  /** What to do with the peer's segment; reactor, and only while the session lives. */
  private interface Mapped {
    void with(Imported peer);
  }

  private void connect(int segment, Segments segments, Mapped then, Runnable failed) {
    place.setup.connect(
        place.fabric,
        place.node,
        segment,
        false,
        peer -> {
          segments.join(peer);
          whileOpen(() -> then.with(peer));
        },
        e -> {
          LOG.log(Level.DEBUG, "A lane of node " + place.node + " can not be mapped", e);
          whileOpen(failed);
        });
  }

  private void whileOpen(Runnable task) {
    place.reactor.execute(() -> {
      if (!ended) {
        task.run();
      }
    });
  }

  // -- the owner's end -------------------------------------------------------------------------

  /** The peer asks for a lane. */
  void lane(ByteBuffer body) throws IOException {
    int number = number(body);
    int segment = body.getInt();
    if (serving.containsKey(number)) {
      throw new IOException("Lane " + number + " is asked for twice");
    }
    if (!used || serving.size() >= MOST) {
      refuse(number);
      return;
    }
    Serving one = new Serving();
    serving.put(number, one);
    place.setup.execute(() -> {
      try {
        Segments segments = new Segments(place);
        place.reactor.execute(() -> serve(number, one, segment, segments));
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "No lane for node " + place.node, e);
        whileOpen(() -> refuse(number));
      }
    });
  }

  private void refuse(int number) {
    serving.remove(number);
    channel.post(LANED, message(number, 0));
  }

  private void serve(int number, Serving one, int segment, Segments segments) {
    if (ended) {
      place.setup.execute(segments::close);
      return;
    }
    one.segments = segments;
    connect(
        segment,
        segments,
        peer -> {
          one.peer = peer;
          one.lane = serve(peer, segments);
          channel.post(LANED, message(number, segments.own.id()));
        },
        () -> {
          place.setup.execute(segments::close);
          refuse(number);
        });
  }

  private OwnerLane serve(Imported peer, Segments segments) {
    OwnerLane lane =
        new OwnerLane(
            grants,
            segments.own.memory(),
            peer,
            System::nanoTime,
            channel::abort,
            () -> place.setup.execute(segments::close));
    place.service.add(lane);
    return lane;
  }

  /** The peer may have stored requests. */
  void look() {
    for (Serving each : serving.values()) {
      if (each.lane != null && each.lane.hasRequest()) {
        place.service.wake();
        return;
      }
    }
  }

  // -- the end ---------------------------------------------------------------------------------

  /** What is known about the ways of all lanes. */
  Imported.Health health() {
    Imported.Health health = Imported.Health.GOOD;
    for (Asking each : asking.values()) {
      health = worse(health, each.peer);
    }
    for (Serving each : serving.values()) {
      health = worse(health, each.peer);
    }
    return health;
  }

  private static Imported.Health worse(Imported.Health health, @Nullable Imported peer) {
    return health != Imported.Health.GOOD || peer == null ? health : peer.health();
  }

  /** The session is over. */
  void end() {
    ended = true;
    for (Asking each : asking.values()) {
      each.lane.end();
      place.setup.execute(each.segments::close);
    }
    asking.clear();
    for (Serving each : serving.values()) {
      Segments segments = each.segments;
      if (each.lane != null) {
        each.lane.end(); // the service thread lets its segments go
      } else if (segments != null) {
        place.setup.execute(segments::close);
      }
    }
    serving.clear();
    place.service.wake();
  }
}
