package org.slipstream.ntb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slipstream.transport.MemoryFaults;

/**
 * Reads the records that the peer stores into a ring of ours. What it hands out is a copy whose sum
 * is right, so neither a store that is late nor a peer that changes its mind can change it. One
 * thread, but for {@link #hasMore}; allocates nothing.
 */
final class RecordReader {
  private final MemorySegment own;
  private final MemorySegment record = Arena.ofAuto().allocate(LaneLayout.MAX_RECORD, 64);
  private final RecordSum sum = new RecordSum(record);
  private boolean pending;

  /** Written by the reader; {@link #hasMore} of other threads is a hint. */
  private volatile long position;

  private volatile int next = 1;

  RecordReader(MemorySegment own) {
    this.own = own;
  }

  /** Whether the beginning of a record has arrived. Any thread. */
  boolean hasMore() {
    return (int) LaneLayout.getAcquire(own, LaneLayout.place(position)) == next;
  }

  /**
   * Takes the next record.
   *
   * @return false if it has not arrived; see {@link #isPending}
   */
  boolean take() {
    long at = position;
    long place = LaneLayout.place(at);
    long word = LaneLayout.getAcquire(own, place);
    if ((int) word != next) {
      pending = false;
      return false;
    }
    pending = true;
    MemorySegment.copy(own, place, record, 0, LaneLayout.HEAD_BYTES);
    int bytes = LaneLayout.getInt(record, LaneLayout.LENGTH);
    if (bytes < 0 || bytes > LaneLayout.MAX_PIECE) {
      return false; // of the record that was here before, unless the peer lies: then for ever
    }
    int behind = LaneLayout.behind(bytes);
    int length = LaneLayout.HEAD_BYTES + behind;
    int first = (int) Math.min(length, LaneLayout.BYTES - place);
    MemorySegment.copy(
        own,
        place + LaneLayout.HEAD_BYTES,
        record,
        LaneLayout.HEAD_BYTES,
        first - LaneLayout.HEAD_BYTES);
    MemorySegment.copy(own, LaneLayout.RING, record, first, length - first);
    MemoryFaults.settle();
    LaneLayout.putInt(record, LaneLayout.NUMBER, next);
    if (sum.of(behind) != (int) (word >>> Integer.SIZE)) {
      return false;
    }
    pending = false;
    position = at + (length + 63 & -64);
    next++;
    return true;
  }

  /** What was taken last, until the next call of {@link #take}. */
  MemorySegment record() {
    return record;
  }

  /** Its number; the low 32 bits. */
  int number() {
    return next - 1;
  }

  /** Whether the last look found the beginning of a record, and not all of it. */
  boolean isPending() {
    return pending;
  }

  /** Bytes of the ring that were ever taken. */
  long position() {
    return position;
  }
}
