package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryOutcome;
import org.slipstream.transport.MemoryQueue;
import org.slipstream.transport.PeerMemory;

/**
 * One thread's operations on memory of peers, each owner by a {@link ClientLane} of its own.
 * Operations are begun in the order of posting, as far as there is room, in pieces; a lane answers
 * in that order, too. When a lane ends, all that was posted for its owner is lost.
 */
final class NtbMemoryQueue implements MemoryQueue, ClientLane.Sink {
  private enum Kind {
    READ,
    WRITE,
    FETCH_ADD,
    COMPARE_AND_SET
  }

  /** A place of the queue, used again and again. */
  private static final class Operation {
    Kind kind = Kind.READ;
    @Nullable NtbPeerMemory memory;
    MemorySegment local = MemorySegment.NULL;
    long at;
    long bytes;
    long operand;
    long value;
    long id;

    /** Bytes for which there are requests, and requests that have no answer. */
    long begun;

    int underWay;
    @Nullable MemoryOutcome outcome;
  }

  /** Polls that miss, after which a processor is offered: an owner on this host may need it. */
  private static final int LOOKS = 64;

  /** A lane and the session whose it is. */
  private record Route(NtbPeerMemory.Lanes owner, ClientLane lane) {}

  private final int depth;
  private final Operation[] operations;
  private final List<Route> routes = new ArrayList<>();

  /** The caller has closed the local memory of an operation before that had ended. */
  private @Nullable RuntimeException mistake;

  private boolean closed;
  private long posted;
  private long polled;

  private int misses;

  /** No operation before this one is to be begun. */
  private long next;

  NtbMemoryQueue(int depth) {
    this.depth = depth;
    this.operations = new Operation[Integer.highestOneBit(2 * depth - 1)];
    for (int i = 0; i < operations.length; i++) {
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
    Operation o = operation(posted++);
    o.kind = kind;
    o.memory = (NtbPeerMemory) memory;
    o.at = at;
    o.local = local;
    o.bytes = bytes;
    o.id = id;
    o.begun = 0;
    o.underWay = 0;
    o.outcome = null;
    return true;
  }

  @Override
  public boolean read(PeerMemory memory, long at, MemorySegment into, long id) {
    return post(Kind.READ, memory, at, into, into.byteSize(), id);
  }

  @Override
  public boolean write(PeerMemory memory, long at, MemorySegment from, long id) {
    return post(Kind.WRITE, memory, at, from, from.byteSize(), id);
  }

  @Override
  public boolean fetchAdd(PeerMemory memory, long at, long delta, MemorySegment result, long id) {
    if (!post(Kind.FETCH_ADD, memory, at, result, Long.BYTES, id)) {
      return false;
    }
    operation(posted - 1).operand = delta;
    return true;
  }

  @Override
  public boolean compareAndSet(
      PeerMemory memory, long at, long expected, long value, MemorySegment result, long id) {
    if (!post(Kind.COMPARE_AND_SET, memory, at, result, Long.BYTES, id)) {
      return false;
    }
    Operation o = operation(posted - 1);
    o.operand = expected;
    o.value = value;
    return true;
  }

  // -- beginning -------------------------------------------------------------------------------

  @Override
  public void submit() {
    while (next < posted && begin(next)) {
      next++;
    }
    for (int i = 0; i < routes.size(); i++) {
      routes.get(i).lane.submit();
    }
  }

  /** Returns false if some of it has yet to be begun. */
  private boolean begin(long n) {
    Operation o = operation(n);
    if (o.outcome != null) {
      return true;
    }
    if (o.bytes == 0) {
      o.outcome = MemoryOutcome.DONE;
      return true;
    }
    NtbPeerMemory memory = Objects.requireNonNull(o.memory);
    ClientLane lane = laneTo(memory.lanes());
    if (lane == null || lane.isOver()) {
      o.outcome = MemoryOutcome.LOST;
      return true;
    }
    if (lane.isOpening()) {
      return false;
    }
    while (o.begun < o.bytes) {
      int piece = (int) Math.min(o.bytes - o.begun, LaneLayout.MAX_PIECE);
      boolean writes = o.kind == Kind.WRITE;
      if (!lane.hasRoom(writes ? piece : 0, writes ? 0 : piece)) {
        return false;
      }
      try {
        if (!request(lane, n, o, memory.key(), piece)) {
          o.outcome = MemoryOutcome.LOST;
          return true;
        }
      } catch (RuntimeException e) {
        mistake = e;
        o.outcome = MemoryOutcome.DONE;
        return true;
      } catch (InternalError e) {
        o.outcome = MemoryOutcome.LOST; // a mapped file of the caller's was truncated
        return true;
      }
      o.begun += piece;
      o.underWay++;
    }
    return true;
  }

  /** Returns false if the session is over. */
  private static boolean request(ClientLane lane, long n, Operation o, long key, int piece) {
    long at = o.at + o.begun;
    return switch (o.kind) {
      case READ -> {
        MemorySegment record = lane.begin(LaneLayout.READ, key, at, 0);
        LaneLayout.putLong(record, LaneLayout.INLINE, piece);
        yield lane.store(record, n, o.begun, piece);
      }
      case WRITE -> {
        MemorySegment record = lane.begin(LaneLayout.WRITE, key, at, piece);
        MemorySegment.copy(o.local, o.begun, record, LaneLayout.start(piece), piece);
        MemoryFaults.settle();
        yield lane.store(record, n, o.begun, -1);
      }
      case FETCH_ADD -> {
        MemorySegment record = lane.begin(LaneLayout.FETCH_ADD, key, at, 0);
        LaneLayout.putLong(record, LaneLayout.INLINE, o.operand);
        yield lane.store(record, n, 0, Long.BYTES);
      }
      case COMPARE_AND_SET -> {
        MemorySegment record = lane.begin(LaneLayout.COMPARE_AND_SET, key, at, 0);
        LaneLayout.putLong(record, LaneLayout.INLINE, o.operand);
        LaneLayout.putLong(record, LaneLayout.INLINE + Long.BYTES, o.value);
        yield lane.store(record, n, 0, Long.BYTES);
      }
    };
  }

  /** Null if the session is over. */
  private @Nullable ClientLane laneTo(NtbPeerMemory.Lanes owner) {
    ClientLane lane = known(owner);
    if (lane == null && owner.isOpen() && !closed) {
      lane = owner.take();
      routes.add(new Route(owner, lane));
    }
    return lane;
  }

  private @Nullable ClientLane known(NtbPeerMemory.Lanes owner) {
    for (int i = 0; i < routes.size(); i++) {
      Route route = routes.get(i);
      if (route.owner.equals(owner)) {
        return route.lane;
      }
    }
    return null;
  }

  // -- ends ------------------------------------------------------------------------------------

  @Override
  public void answered(
      long operation, long offset, byte outcome, MemorySegment from, long at, int bytes) {
    Operation o = operation(operation);
    o.underWay--;
    if (outcome != LaneLayout.DONE) {
      o.outcome = outcome == LaneLayout.REVOKED ? MemoryOutcome.REVOKED : MemoryOutcome.LOST;
    } else if (o.outcome == null && bytes > 0) {
      take(o, offset, from, at, bytes);
    }
    ended(o);
  }

  /** An operation keeps its place until its last request has been answered. */
  private static void ended(Operation o) {
    if (o.outcome == null && o.underWay == 0 && o.begun == o.bytes) {
      o.outcome = MemoryOutcome.DONE;
    }
  }

  private void take(Operation o, long offset, MemorySegment from, long at, int bytes) {
    try {
      if (o.kind != Kind.READ) {
        o.local.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, LaneLayout.getLong(from, at));
      } else if (bytes == Long.BYTES) {
        long word = from.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        o.local.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, word);
      } else {
        MemorySegment.copy(from, at, o.local, offset, bytes);
      }
      MemoryFaults.settle();
    } catch (RuntimeException e) {
      mistake = e;
    } catch (InternalError e) {
      o.outcome = MemoryOutcome.LOST; // a mapped file of the caller's was truncated
    }
  }

  private void reap() {
    for (int i = routes.size() - 1; i >= 0; i--) {
      Route route = routes.get(i);
      route.lane.reap(this);
      if (route.lane.isOver()) {
        routes.remove(i);
        lost(route.owner);
      }
    }
  }

  private void lost(NtbPeerMemory.Lanes owner) {
    for (long n = polled; n < posted; n++) {
      Operation o = operation(n);
      if (o.memory != null && o.memory.lanes().equals(owner)) {
        o.underWay = 0;
        if (o.outcome == null) {
          o.outcome = MemoryOutcome.LOST;
        }
      }
    }
  }

  @Override
  public int poll(long[] ids, MemoryOutcome[] outcomes) {
    if (polled == posted) {
      return 0;
    }
    reap();
    submit();
    RuntimeException e = mistake;
    if (e != null) {
      mistake = null;
      throw e;
    }
    int most = Math.min(ids.length, outcomes.length);
    int n = 0;
    while (n < most && polled < posted) {
      Operation o = operation(polled);
      MemoryOutcome outcome = o.outcome;
      if (outcome == null || o.underWay > 0) {
        break;
      }
      ids[n] = o.id;
      outcomes[n] = outcome;
      o.memory = null;
      o.local = MemorySegment.NULL;
      polled++;
      n++;
    }
    if (n > 0) {
      misses = 0;
    } else if (++misses % LOOKS == 0) {
      Thread.yield();
    }
    return n;
  }

  /** An answer means that the owner has carried the request out: so all have to be answered. */
  @Override
  public MemoryOutcome flush(PeerMemory memory) {
    NtbPeerMemory its = (NtbPeerMemory) memory;
    MemoryOutcome outcome;
    while ((outcome = flushed(its)) == null) {
      Thread.yield(); // the owner may be on this processor
    }
    return outcome;
  }

  /** Null if it goes on. */
  private @Nullable MemoryOutcome flushed(NtbPeerMemory memory) {
    reap();
    submit();
    NtbPeerMemory.Lanes owner = memory.lanes();
    boolean waits = false;
    for (long n = polled; n < posted; n++) {
      Operation o = operation(n);
      if (o.memory == null || !o.memory.lanes().equals(owner)) {
        continue;
      }
      if (o.outcome == MemoryOutcome.LOST
          || (o.outcome == MemoryOutcome.REVOKED && o.memory.equals(memory))) {
        return o.outcome;
      }
      waits |= o.outcome == null || o.underWay > 0;
    }
    if (waits) {
      return null;
    }
    return owner.isOpen() && !closed ? MemoryOutcome.DONE : MemoryOutcome.LOST;
  }

  @Override
  public void close() {
    closed = true;
    for (Route route : routes) {
      route.owner.giveBack(route.lane);
    }
    routes.clear();
    for (long n = polled; n < posted; n++) {
      Operation o = operation(n);
      o.underWay = 0;
      o.outcome = o.outcome == null ? MemoryOutcome.LOST : o.outcome;
    }
  }
}
