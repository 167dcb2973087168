package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.OneSidedQueue;
import org.slipstream.transport.ProcessId;

/**
 * The way of one queue to one owner: a queue pair, its completions, and a ring of registered memory
 * through which the bytes of its requests go. Requests complete in the order in which they were
 * posted, so both are given back from the oldest on.
 *
 * <p>Guarded by the lock of the queue, which only the queue's thread holds but at the beginning and
 * at the end: then the event thread does.
 */
final class Lane {
  /** A request that belongs to no operation: a flush. */
  static final long NO_OPERATION = -1;

  private static final int ALIGNMENT = 64;

  /** The native objects. */
  record Parts(OneSidedQueue pair, Completions completions, MemorySegment staging, int localKey) {}

  /** The session to which a lane belongs. */
  interface Peer {
    /** Whether the two processes are still connected. */
    boolean isOpen();

    /** The way that we asked; null if the peer did. */
    @Nullable Way asked();

    /** The owner. */
    ProcessId peer();

    /** What the owner has given us to name the session by. Event thread only. */
    Token ticket();

    /** Where the session's queue pair is. */
    DeviceContext device();
  }

  /** Told of what has ended; the queue's thread, with its lock. */
  interface Sink {
    /**
     * A request has ended well.
     *
     * @param operation its number
     * @param offset of the piece in the operation's local memory
     * @param staging where the staged bytes are
     * @param at where in it
     * @param bytes how many
     * @param arrived whether they came from the peer
     */
    void landed(
        long operation, long offset, MemorySegment staging, long at, int bytes, boolean arrived);

    /** The peer's device has refused a request; those behind it were not carried out. */
    void refused(Lane lane, long operation);

    /** The queue pair failed: what was under way may have been carried out or not. */
    void lost(Lane lane);
  }

  private enum State {
    OPENING,
    READY,
    OVER
  }

  private final Peer session;
  private final ReentrantLock lock;
  private final int stagingBytes;
  private State state = State.OPENING;
  private @Nullable Parts parts;

  // Requests by their numbers; as many places as a power of two has.
  private final long[] operations;
  private final long[] offsets;
  private final int[] lengths;
  private final boolean[] reading;

  /** Where the staged bytes of a request begin, counted from the beginning of the lane. */
  private final long[] starts;

  private long posted;
  private long completed;
  private long staged;
  private long unstaged;

  /** The number of the last request that a later write has to wait for. */
  private long lastRead = -1;

  /** Whether something was written since the last flush. */
  private boolean dirty;

  Lane(Peer session, ReentrantLock lock, int requests, int stagingBytes) {
    this.session = session;
    this.lock = lock;
    this.stagingBytes = stagingBytes;
    this.operations = new long[requests];
    this.offsets = new long[requests];
    this.lengths = new int[requests];
    this.reading = new boolean[requests];
    this.starts = new long[requests];
  }

  Peer session() {
    return session;
  }

  int requests() {
    return operations.length;
  }

  int stagingBytes() {
    return stagingBytes;
  }

  // -- event thread ----------------------------------------------------------------------------

  /** The peer has accepted. */
  void ready(Parts made) {
    lock.lock();
    try {
      if (state == State.OPENING) {
        parts = made;
        state = State.READY;
      }
    } finally {
      lock.unlock();
    }
  }

  /** When it returns, no thread uses the native objects any more. */
  void over() {
    lock.lock();
    try {
      state = State.OVER;
      parts = null;
    } finally {
      lock.unlock();
    }
  }

  // -- the queue's thread, with the lock -------------------------------------------------------

  boolean isOpening() {
    return state == State.OPENING;
  }

  boolean isOver() {
    return state == State.OVER;
  }

  boolean isDirty() {
    return dirty;
  }

  /** The number of the next request. */
  long next() {
    return posted;
  }

  boolean hasEnded(long request) {
    return request < completed;
  }

  /** Whether one more request, with so many bytes, finds room. */
  boolean hasRoom(int bytes) {
    return parts != null
        && posted - completed < operations.length
        && start(bytes) + bytes - unstaged <= stagingBytes;
  }

  /** A piece does not go round the end of the ring. */
  private long start(int bytes) {
    int at = (int) (staged & (stagingBytes - 1));
    return at + bytes <= stagingBytes ? staged : staged + stagingBytes - at;
  }

  private long stage(long operation, long offset, int length, boolean reads) {
    int place = (int) posted & (operations.length - 1);
    long start = start(length);
    staged = (start + length + ALIGNMENT - 1) & -ALIGNMENT;
    operations[place] = operation;
    offsets[place] = offset;
    lengths[place] = length;
    reading[place] = reads;
    starts[place] = start;
    return start & (stagingBytes - 1);
  }

  private void took(int error, Parts p) {
    posted++;
    if (error != 0 && p.equals(parts)) {
      state = State.OVER;
    }
  }

  /** Reads a piece; there is room. */
  void read(long operation, long offset, int length, long remote, int key) {
    Parts p = parts;
    if (p != null) {
      long at = p.staging.address() + stage(operation, offset, length, true);
      lastRead = posted;
      took(p.pair.read(posted, at, length, p.localKey, remote, key), p);
    }
  }

  /** Writes a piece; there is room. */
  void write(long operation, long offset, MemorySegment from, int length, long remote, int key) {
    Parts p = parts;
    if (p != null) {
      long place = stage(operation, offset, length, false);
      MemorySegment.copy(from, offset, p.staging, place, length);
      long at = p.staging.address() + place;
      boolean inline = length <= p.pair.capacity().inlineBytes();
      dirty = true;
      took(
          hasEnded(lastRead)
              ? p.pair.write(posted, at, length, p.localKey, remote, key, inline, true)
              : p.pair.writeBehindReads(posted, at, length, p.localKey, remote, key),
          p);
    }
  }

  /** Adds; there is room. */
  void fetchAdd(long operation, long delta, long remote, int key) {
    Parts p = parts;
    if (p != null) {
      long at = p.staging.address() + stage(operation, 0, Long.BYTES, true);
      boolean fenced = !hasEnded(lastRead);
      dirty = true;
      took(p.pair.fetchAdd(posted, at, p.localKey, remote, key, delta, fenced), p);
    }
  }

  /** Compares and sets; there is room. */
  void compareAndSet(long operation, long expected, long value, long remote, int key) {
    Parts p = parts;
    if (p != null) {
      long at = p.staging.address() + stage(operation, 0, Long.BYTES, true);
      boolean fenced = !hasEnded(lastRead);
      dirty = true;
      took(p.pair.compareAndSwap(posted, at, p.localKey, remote, key, expected, value, fenced), p);
    }
  }

  /** Reads the word that pushes all earlier writes into the owner's memory; there is room. */
  void flush(long remote, int key) {
    read(NO_OPERATION, 0, Long.BYTES, remote, key);
    dirty = false;
  }

  /** Gives the device what was posted. */
  void submit() {
    Parts p = parts;
    if (p != null && p.pair.submit() != 0) {
      state = State.OVER;
    }
  }

  /** Takes what has ended. */
  void reap(Sink sink) {
    Parts p = parts;
    int n = 1;
    while (p != null && state == State.READY && completed < posted && n > 0) {
      n = p.completions.poll();
      for (int i = 0; i < n; i++) {
        if (!p.completions.isSuccess(i)) {
          fail(sink, p.completions.isRefused(i));
          return;
        }
        land(sink, p);
      }
      if (n < 0) {
        state = State.OVER;
      }
    }
    if (state == State.OVER) {
      sink.lost(this);
    }
  }

  private void land(Sink sink, Parts p) {
    int place = (int) completed & (operations.length - 1);
    completed++;
    unstaged = completed == posted ? staged : starts[(int) completed & (operations.length - 1)];
    if (operations[place] != NO_OPERATION) {
      long at = starts[place] & (stagingBytes - 1);
      sink.landed(operations[place], offsets[place], p.staging, at, lengths[place], reading[place]);
    }
  }

  private void fail(Sink sink, boolean refused) {
    long operation = operations[(int) completed & (operations.length - 1)];
    state = State.OVER;
    if (refused && operation != NO_OPERATION) {
      sink.refused(this, operation);
    } else {
      sink.lost(this);
    }
  }
}
