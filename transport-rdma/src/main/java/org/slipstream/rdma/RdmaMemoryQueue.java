package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryOutcome;
import org.slipstream.transport.MemoryQueue;
import org.slipstream.transport.PeerMemory;

/**
 * One thread's operations on memory of peers, each owner by a {@link Lane} of its own. Operations
 * are begun in the order of posting, as far as there is room, and their bytes go through the lane's
 * registered memory, in pieces.
 *
 * <p>When a peer's device refuses a request, its queue pair is broken, and what was posted behind
 * it was not carried out: that goes on over a new lane. When a lane fails in any other way, all
 * that was under way there is lost.
 */
final class RdmaMemoryQueue implements MemoryQueue, Lane.Sink {
  /** The largest piece of an operation. */
  static final int MAX_PIECE = 1 << 20;

  private static final int MAX_REQUESTS = 256;
  private static final int MIN_STAGING = 2 * MAX_PIECE;
  private static final int MAX_STAGING = 8 * MAX_PIECE;

  /** Staging for each operation of the depth. */
  private static final int STAGING_OF_EACH = 256 << 10;

  /** Makes and ends lanes; any thread. */
  interface Opener {
    /** Connects a lane. */
    void open(Lane lane);

    /** Ends it. */
    void close(Lane lane);
  }

  private enum Kind {
    READ,
    WRITE,
    FETCH_ADD,
    COMPARE_AND_SET
  }

  /** A place of the queue, used again and again. */
  private static final class Operation {
    Kind kind = Kind.READ;
    @Nullable RdmaPeerMemory memory;
    MemorySegment local = MemorySegment.NULL;
    long at;
    long bytes;
    long operand;
    long value;
    long id;

    /** Where it is under way. */
    @Nullable Lane lane;

    /** Bytes for which there are requests, and requests that have not ended. */
    long begun;

    int underWay;
    @Nullable MemoryOutcome outcome;
  }

  /** Held by the queue's thread, and by the event thread when a lane begins or ends. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Opener opener;
  private final int depth;
  private final int requests;
  private final int stagingBytes;
  private final Operation[] operations;
  private final List<Lane> lanes = new ArrayList<>();
  private boolean closed;

  /** The caller has closed the local memory of an operation before that had ended. */
  private @Nullable RuntimeException mistake;

  private long posted;
  private long polled;

  /** No operation before this one is to be begun. */
  private long next;

  /** Used again and again. */
  private final Flush flush = new Flush();

  RdmaMemoryQueue(Opener opener, int depth) {
    this.opener = opener;
    this.depth = depth;
    int places = Integer.highestOneBit(2 * depth - 1);
    this.requests = Math.clamp(2L * places, 16, MAX_REQUESTS);
    this.stagingBytes =
        Integer.highestOneBit(Math.clamp((long) depth * STAGING_OF_EACH, MIN_STAGING, MAX_STAGING));
    this.operations = new Operation[places];
    for (int i = 0; i < places; i++) {
      operations[i] = new Operation();
    }
  }

  private Operation operation(long n) {
    return operations[(int) n & (operations.length - 1)];
  }

  // -- posting ---------------------------------------------------------------------------------

  private boolean post(
      Kind kind, PeerMemory memory, long at, MemorySegment local, long bytes, long id) {
    if (posted - polled == depth) {
      return false;
    }
    Operation o = operation(posted);
    o.kind = kind;
    o.memory = (RdmaPeerMemory) memory;
    o.at = at;
    o.local = local;
    o.bytes = bytes;
    o.id = id;
    o.lane = null;
    o.begun = 0;
    o.underWay = 0;
    o.outcome = null;
    return true;
  }

  @Override
  public boolean read(PeerMemory memory, long at, MemorySegment into, long id) {
    boolean taken = post(Kind.READ, memory, at, into, into.byteSize(), id);
    posted += taken ? 1 : 0;
    return taken;
  }

  @Override
  public boolean write(PeerMemory memory, long at, MemorySegment from, long id) {
    boolean taken = post(Kind.WRITE, memory, at, from, from.byteSize(), id);
    posted += taken ? 1 : 0;
    return taken;
  }

  @Override
  public boolean fetchAdd(PeerMemory memory, long at, long delta, MemorySegment result, long id) {
    if (!post(Kind.FETCH_ADD, memory, at, result, Long.BYTES, id)) {
      return false;
    }
    operation(posted).operand = delta;
    posted++;
    return true;
  }

  @Override
  public boolean compareAndSet(
      PeerMemory memory, long at, long expected, long value, MemorySegment result, long id) {
    if (!post(Kind.COMPARE_AND_SET, memory, at, result, Long.BYTES, id)) {
      return false;
    }
    Operation o = operation(posted);
    o.operand = expected;
    o.value = value;
    posted++;
    return true;
  }

  // -- beginning -------------------------------------------------------------------------------

  @Override
  public void submit() {
    lock.lock();
    try {
      begin();
    } finally {
      lock.unlock();
    }
  }

  private void begin() {
    while (next < posted && begin(next)) {
      next++;
    }
    for (int i = 0; i < lanes.size(); i++) {
      lanes.get(i).submit();
    }
  }

  /** Returns false if some of it has yet to be begun. */
  private boolean begin(long n) {
    Operation o = operation(n);
    RdmaPeerMemory memory = o.memory;
    if (o.outcome != null || o.begun == o.bytes || memory == null) {
      if (o.outcome == null && o.underWay == 0) {
        o.outcome = MemoryOutcome.DONE; // of no bytes
      }
      return true;
    }
    if (memory.isRevoked()) {
      o.outcome = MemoryOutcome.REVOKED;
      return true;
    }
    Lane lane = laneTo(memory.session());
    if (lane == null || lane.isOver()) {
      o.outcome = MemoryOutcome.LOST;
      return true;
    }
    if (lane.isOpening()) {
      return false;
    }
    o.lane = lane;
    while (o.begun < o.bytes) {
      int piece = (int) Math.min(o.bytes - o.begun, MAX_PIECE);
      if (!lane.hasRoom(piece)) {
        return false;
      }
      try {
        request(lane, n, o, memory.descriptor(), piece);
      } catch (RuntimeException e) {
        mistake = e;
        o.outcome = MemoryOutcome.DONE;
        return true;
      }
      o.begun += piece;
      o.underWay++;
    }
    return true;
  }

  private static void request(Lane lane, long n, Operation o, MemoryDescriptor to, int piece) {
    long remote = to.address() + o.at + o.begun;
    switch (o.kind) {
      case READ -> lane.read(n, o.begun, piece, remote, to.key());
      case WRITE -> lane.write(n, o.begun, o.local, piece, remote, to.key());
      case FETCH_ADD -> lane.fetchAdd(n, o.operand, remote, to.key());
      case COMPARE_AND_SET -> lane.compareAndSet(n, o.operand, o.value, remote, to.key());
    }
  }

  /** Null if the session is over. */
  private @Nullable Lane laneTo(Lane.Peer session) {
    Lane lane = openLane(session);
    if (lane == null && session.isOpen() && !closed) {
      lane = new Lane(session, lock, requests, stagingBytes);
      lanes.add(lane);
      opener.open(lane);
    }
    return lane;
  }

  private @Nullable Lane openLane(Lane.Peer session) {
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get(i);
      if (lane.session().equals(session)) {
        return lane;
      }
    }
    return null;
  }

  // -- ends ------------------------------------------------------------------------------------

  @Override
  public void landed(
      long operation, long offset, MemorySegment staging, long at, int bytes, boolean arrived) {
    Operation o = operation(operation);
    if (operation < polled || o.outcome != null) {
      return; // a piece of what has ended otherwise
    }
    o.underWay--;
    if (o.underWay == 0 && o.begun == o.bytes) {
      o.outcome = MemoryOutcome.DONE;
    }
    if (arrived) {
      try {
        copy(o, offset, staging, at, bytes);
      } catch (RuntimeException e) {
        mistake = e;
      }
    }
  }

  private static void copy(Operation o, long offset, MemorySegment staging, long at, int bytes) {
    if (bytes == Long.BYTES) {
      long word = staging.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      o.local.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, word);
    } else {
      MemorySegment.copy(staging, at, o.local, offset, bytes);
    }
  }

  @Override
  public void refused(Lane lane, long operation) {
    Operation o = operation(operation);
    o.outcome = MemoryOutcome.REVOKED;
    if (o.memory != null) {
      o.memory.revoked();
    }
    drop(lane);
    for (long n = posted - 1; n >= polled; n--) {
      Operation each = operation(n);
      if (lane.equals(each.lane) && each.outcome == null) {
        each.lane = null;
        each.begun = 0;
        each.underWay = 0;
        next = Math.min(next, n);
      }
    }
  }

  @Override
  public void lost(Lane lane) {
    drop(lane);
    for (long n = polled; n < posted; n++) {
      Operation each = operation(n);
      // What was not begun, too: an owner that does not accept would be asked again and again.
      if (each.outcome == null
          && each.memory != null
          && each.memory.session().equals(lane.session())) {
        each.outcome = MemoryOutcome.LOST;
      }
    }
  }

  private void drop(Lane lane) {
    lanes.remove(lane);
    opener.close(lane);
  }

  @Override
  public int poll(long[] ids, MemoryOutcome[] outcomes) {
    if (polled == posted) {
      return 0;
    }
    lock.lock();
    try {
      reap();
      begin();
      throwMistake();
      return take(ids, outcomes);
    } finally {
      lock.unlock();
    }
  }

  private void throwMistake() {
    RuntimeException e = mistake;
    if (e != null) {
      mistake = null;
      throw e;
    }
  }

  private void reap() {
    for (int i = lanes.size() - 1; i >= 0; i--) {
      lanes.get(i).reap(this);
    }
  }

  private int take(long[] ids, MemoryOutcome[] outcomes) {
    int most = Math.min(ids.length, outcomes.length);
    int n = 0;
    while (n < most && polled < posted) {
      Operation o = operation(polled);
      MemoryOutcome outcome = o.outcome;
      if (outcome == null) {
        break;
      }
      ids[n] = o.id;
      outcomes[n] = outcome;
      o.memory = null;
      o.local = MemorySegment.NULL;
      o.lane = null;
      polled++;
      n++;
    }
    return n;
  }

  // -- flush -----------------------------------------------------------------------------------

  @Override
  public MemoryOutcome flush(PeerMemory memory) {
    flush.begin((RdmaPeerMemory) memory);
    MemoryOutcome outcome;
    while ((outcome = flush.step()) == null) {
      Thread.yield(); // a device in software may need the processor
    }
    return outcome;
  }

  /** The flush of this moment, which waits for requests that it may have to post again. */
  private final class Flush {
    private @Nullable RdmaPeerMemory memory;
    private @Nullable Lane lane;
    private long request;

    void begin(RdmaPeerMemory of) {
      memory = of;
      lane = null;
    }

    /** Null if it goes on. */
    @Nullable MemoryOutcome step() {
      lock.lock();
      try {
        reap();
        RdmaMemoryQueue.this.begin();
        return look(Objects.requireNonNull(memory));
      } finally {
        lock.unlock();
      }
    }

    private @Nullable MemoryOutcome look(RdmaPeerMemory memory) {
      if (memory.isRevoked()) {
        return MemoryOutcome.REVOKED;
      }
      if (hasLost(memory)) {
        return MemoryOutcome.LOST;
      }
      Lane now = openLane(memory.session());
      if (lane != null) {
        if (lane.hasEnded(request)) {
          return MemoryOutcome.DONE;
        }
        if (lane.equals(now)) {
          return null;
        }
        lane = null; // broken by what another operation was refused
      }
      if (next < posted) {
        return null;
      }
      if (now == null || (!now.isOpening() && !now.isDirty())) {
        return memory.session().isOpen() && !closed ? MemoryOutcome.DONE : MemoryOutcome.LOST;
      }
      if (now.hasRoom(Long.BYTES)) {
        request = now.next();
        lane = now;
        MemoryDescriptor to = memory.descriptor();
        now.flush(to.flushAddress(), to.flushKey());
        now.submit();
      }
      return null;
    }

    private boolean hasLost(RdmaPeerMemory memory) {
      for (long n = polled; n < posted; n++) {
        Operation o = operation(n);
        if (o.outcome == MemoryOutcome.LOST
            && o.memory != null
            && o.memory.session().equals(memory.session())) {
          return true;
        }
      }
      return lane != null && lane.isOver() && !memory.session().isOpen();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      for (Lane lane : lanes) {
        opener.close(lane);
      }
      lanes.clear();
      lost();
    } finally {
      lock.unlock();
    }
  }

  private void lost() {
    for (long n = polled; n < posted; n++) {
      Operation each = operation(n);
      if (each.outcome == null) {
        each.outcome = MemoryOutcome.LOST;
      }
    }
  }
}
