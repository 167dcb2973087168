package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;

/**
 * The client's end of a lane: the requests of one queue to one owner, and their answers. It is used
 * by one queue's thread at a time; the reactor opens it and ends it.
 *
 * <p>There is room for the answer to each request before that is stored, so the owner never waits.
 */
final class ClientLane {
  /** Requests without an answer. */
  private static final int MOST = 256;

  /** An owner that has not answered for so long is taken for dead. */
  static final long PATIENCE_NS = 10_000_000_000L;

  /** The session, as a lane uses it. */
  interface Way {
    /** Whether it is still usable. Any thread. */
    boolean isOpen();

    /** Interrupts the owner's node; false if that has to be tried again. Any thread. */
    boolean wake();

    /** Ends the session. Any thread. */
    void abort(String cause);
  }

  /** The queue, to which answers go. */
  interface Sink {
    /**
     * A request has been answered.
     *
     * @param operation whose it was
     * @param offset of its piece in the operation
     * @param outcome {@link LaneLayout#DONE} or another
     * @param from with the bytes of a piece that was read
     * @param at where they begin there
     * @param bytes how many; 0 if none was read
     */
    void answered(
        long operation, long offset, byte outcome, MemorySegment from, long at, int bytes);
  }

  /** What is there when it is open. */
  private record Ends(MemorySegment own, RecordReader answers, RecordWriter requests) {}

  private final Way way;
  private final LongSupplier clock;

  /** By the low bits of the number of a request. */
  private final long[] operations = new long[MOST];

  private final long[] offsets = new long[MOST];

  /** What its answer brings; -1 where the request is a write. */
  private final int[] expected = new int[MOST];

  /** Written by the reactor, once. */
  private volatile @Nullable Ends ends;

  private volatile boolean over;

  // The queue's thread.
  private int stored;
  private int answered;

  /** Answers to requests up to this one are of a queue that is closed. */
  private int ignored;

  /** How many bytes of our requests the owner has taken. */
  private long taken;

  /** What the answers to all requests that have none take of our ring at most. */
  private int owed;

  private boolean unflushed;
  private long rung;

  /** When the owner answered last, or had all answered. */
  private long heard;

  ClientLane(Way way, LongSupplier clock) {
    this.way = way;
    this.clock = clock;
    this.heard = clock.getAsLong();
  }

  // -- the reactor -----------------------------------------------------------------------------

  /** Both segments are there. */
  void open(MemorySegment own, Imported peer) {
    ends = new Ends(own, new RecordReader(own), new RecordWriter(peer));
  }

  /** It will not be used any more. */
  void end() {
    over = true;
  }

  // -- the queue -------------------------------------------------------------------------------

  boolean isOpening() {
    return ends == null && !isOver();
  }

  boolean isOver() {
    return over || !way.isOpen();
  }

  /** Whether all requests have been answered. */
  boolean isIdle() {
    return stored == answered;
  }

  /** Another queue has it from now on. */
  void handOver() {
    ignored = stored;
    heard = clock.getAsLong();
  }

  /**
   * Whether there is room for a request and its answer.
   *
   * @param carried bytes of the request
   * @param brought bytes of its answer
   */
  boolean hasRoom(int carried, int brought) {
    return stored - answered < MOST
        && requests().position() - taken + LaneLayout.padded(carried) <= LaneLayout.RING_BYTES
        && owed + LaneLayout.padded(brought) <= LaneLayout.RING_BYTES;
  }

  private RecordWriter requests() {
    return Objects.requireNonNull(ends).requests;
  }

  /**
   * Begins a request. What it carries and its operands are the caller's to fill in; nothing has
   * happened before {@link #store}.
   *
   * @return the record
   */
  MemorySegment begin(byte kind, long key, long at, int carried) {
    MemorySegment record = requests().begin();
    record.set(JAVA_BYTE, LaneLayout.KIND, kind);
    LaneLayout.putInt(record, LaneLayout.LENGTH, carried);
    LaneLayout.putLong(record, LaneLayout.SUBJECT, key);
    LaneLayout.putLong(record, LaneLayout.AT, at);
    return record;
  }

  /**
   * Stores the request that was begun.
   *
   * @param record as {@link #begin} returned it
   * @param brought bytes that its answer brings; -1 if it is a write
   * @return false if the session is over
   */
  boolean store(MemorySegment record, long operation, long offset, int brought) {
    Ends both = Objects.requireNonNull(ends);
    LaneLayout.putLong(record, LaneLayout.CREDIT, both.answers.position());
    try {
      both.requests.store();
      MemoryFaults.settle();
    } catch (IllegalStateException | InternalError e) {
      fail(e);
      return false;
    }
    if (isIdle()) {
      heard = clock.getAsLong();
    }
    stored++;
    int place = stored & MOST - 1;
    operations[place] = operation;
    offsets[place] = offset;
    expected[place] = brought;
    owed += LaneLayout.padded(Math.max(brought, 0));
    unflushed = true;
    return true;
  }

  /** Lets the owner see what was stored, and wakes it if it sleeps. */
  void submit() {
    Ends both = ends;
    if (both == null || isOver() || isIdle()) {
      return;
    }
    try {
      if (unflushed) {
        unflushed = false;
        both.requests.flush();
        VarHandle.fullFence(); // our requests before the look whether it sleeps
      }
      long armed = LaneLayout.getAcquire(both.own, LaneLayout.ARMED);
      MemoryFaults.settle();
      if (armed != rung && way.wake()) {
        rung = armed;
      }
    } catch (IllegalStateException | InternalError e) {
      fail(e);
    }
  }

  /** Hands answers on. */
  void reap(Sink sink) {
    Ends both = ends;
    if (isOver() || both == null || isIdle()) {
      look(both);
      return;
    }
    boolean any = false;
    try {
      while (!isIdle() && both.answers.take()) {
        any = true;
        if (!answer(both.answers.record(), sink)) {
          end();
          way.abort("the owner of memory answers what it was not asked");
          return;
        }
      }
    } catch (IllegalStateException | InternalError e) {
      fail(e);
      return;
    }
    if (any) {
      heard = clock.getAsLong();
    } else {
      look(both);
    }
  }

  /** Ends the session if the owner is silent. */
  private void look(@Nullable Ends both) {
    boolean waits = both == null || !isIdle();
    if (waits && !isOver() && clock.getAsLong() - heard > PATIENCE_NS) {
      end();
      way.abort("the owner of memory has not answered for ten seconds");
    }
  }

  /** Returns false if it is none. */
  private boolean answer(MemorySegment record, Sink sink) {
    int number = (int) LaneLayout.getLong(record, LaneLayout.SUBJECT);
    long credit = LaneLayout.getLong(record, LaneLayout.CREDIT);
    if (number - answered <= 0 || number - stored > 0) {
      return false;
    }
    if (credit < taken || credit > requests().position()) {
      return false;
    }
    taken = credit;
    while (answered + 1 != number) {
      if (expected[answered + 1 & MOST - 1] >= 0) {
        return false;
      }
      answered(LaneLayout.DONE, record, 0, sink);
    }
    byte outcome = record.get(JAVA_BYTE, LaneLayout.KIND);
    int bytes = LaneLayout.getInt(record, LaneLayout.LENGTH);
    int wanted = Math.max(expected[number & MOST - 1], 0);
    if (outcome < LaneLayout.DONE
        || outcome > LaneLayout.LOST
        || bytes != (outcome == LaneLayout.DONE ? wanted : 0)) {
      return false;
    }
    answered(outcome, record, bytes, sink);
    return true;
  }

  private void answered(byte outcome, MemorySegment record, int bytes, Sink sink) {
    answered++;
    int place = answered & MOST - 1;
    owed -= LaneLayout.padded(Math.max(expected[place], 0));
    if (answered - ignored > 0) {
      sink.answered(
          operations[place], offsets[place], outcome, record, LaneLayout.start(bytes), bytes);
    }
  }

  /** Memory of the session was taken away, by its end or by a process that truncated it. */
  private void fail(Throwable cause) {
    end();
    way.abort("memory of the session is gone: " + cause.getMessage());
  }
}
