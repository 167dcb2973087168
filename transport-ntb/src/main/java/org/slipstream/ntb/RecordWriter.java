package org.slipstream.ntb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Writes records into the peer's ring: each is composed in memory of this process and then stored
 * across the bridge. Knows nothing of room: the caller does. One thread; allocates nothing.
 */
final class RecordWriter {
  private static final int WORD = Long.BYTES;

  private final Imported peer;
  private final MemorySegment record = Arena.ofAuto().allocate(LaneLayout.MAX_RECORD, 64);
  private final MemorySegment head = record.asSlice(0, LaneLayout.HEAD_BYTES);
  private final RecordSum sum = new RecordSum(record);
  private long position;
  private int number;

  RecordWriter(Imported peer) {
    this.peer = peer;
  }

  /** The next record, to be filled in but for its number and its sum; its head is zero. */
  MemorySegment begin() {
    MemorySegment _ = head.fill((byte) 0);
    return record;
  }

  /** Stores it. The peer may see it from {@link #flush} on. */
  void store() {
    int behind = LaneLayout.behind(LaneLayout.getInt(record, LaneLayout.LENGTH));
    number++;
    LaneLayout.putInt(record, LaneLayout.NUMBER, number);
    LaneLayout.putInt(record, LaneLayout.SUM, sum.of(behind));
    int length = LaneLayout.HEAD_BYTES + behind;
    long place = LaneLayout.place(position);
    int first = (int) Math.min(length, LaneLayout.BYTES - place);
    MemorySegment.copy(record, WORD, peer.memory(), place + WORD, first - WORD);
    MemorySegment.copy(record, first, peer.memory(), LaneLayout.RING, length - first);
    // Where stores keep their order the sum is right at the first look.
    LaneLayout.putRelease(peer.memory(), place, LaneLayout.getLong(record, LaneLayout.NUMBER));
    position += length + 63 & -64;
  }

  void flush() {
    peer.flush();
  }

  /** Bytes of the ring that were ever used. */
  long position() {
    return position;
  }

  /** The number of the last record; the low 32 bits. */
  int number() {
    return number;
  }
}
