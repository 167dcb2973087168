package org.slipstream.ntb;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The segment of one direction of a lane of one-sided memory, written by the peer, read by us: the
 * only truth about its bytes. The client's requests lie in the owner's segment, the owner's answers
 * in the client's. Words are little-endian.
 *
 * <pre>
 *   0        8       64                                                 64 + RING_BYTES
 *   +--------+-------+------------------------------------------------------+
 *   | armed  |       | ring of records, each at a multiple of 64            |
 *   +--------+-------+------------------------------------------------------+
 *
 *   a record, padded to 64:
 *   0      4     8    9     12    16       24       32       40               64
 *   +------+-----+----+-----+-----+--------+--------+--------+----------------+- - - - +
 *   |number| sum |kind|  0  |bytes| credit | subject|   at   | inline, 24 B   | bytes  |
 *   +------+-----+----+-----+-----+--------+--------+--------+----------------+- - - - +
 * </pre>
 *
 * <ul>
 *   <li><b>armed</b>: in the client's segment only. A number: the owner sleeps, or is about to, and
 *       wants one WAKE for each.
 *   <li><b>number</b>: of the record in its direction, from 1 on, the low 32 bits.
 *   <li><b>sum</b>: CRC32C of number and of all bytes behind the sum, without the padding. Stores
 *       arrive in any order and may be lost, so a record whose sum is wrong has not arrived yet.
 *   <li><b>kind</b>: of a request {@link #READ}, {@link #WRITE}, {@link #FETCH_ADD} or {@link
 *       #COMPARE_AND_SET}; of an answer {@link #DONE}, {@link #REVOKED} or {@link #LOST}.
 *   <li><b>bytes</b>: how many the record carries: those of a {@link #WRITE}, or of the answer to a
 *       {@link #READ}. Up to 24 are inline; more stand behind the record's first 64 bytes, where
 *       they may go on at the start of the ring.
 *   <li><b>credit</b>: how many bytes of the other direction's ring the writer has taken out.
 *   <li><b>subject</b>: of a request the key of a grant; of an answer the number of its request.
 *       Writes before that, which have had no answer, are done.
 *   <li><b>at</b>: of a request, where in the region.
 *   <li><b>inline</b>: of {@link #READ} how many bytes; of {@link #FETCH_ADD} the summand; of
 *       {@link #COMPARE_AND_SET} the expected value and the new one; of an answer to these two the
 *       value before.
 * </ul>
 */
final class LaneLayout {
  static final int ARMED = 0;
  static final int RING = 64;
  static final int RING_BYTES = 128 * 1024;
  static final int BYTES = RING + RING_BYTES;

  static final int NUMBER = 0;
  static final int SUM = 4;
  static final int KIND = 8;
  static final int LENGTH = 12;
  static final int CREDIT = 16;
  static final int SUBJECT = 24;
  static final int AT = 32;
  static final int INLINE = 40;
  static final int HEAD_BYTES = 64;
  static final int INLINE_BYTES = HEAD_BYTES - INLINE;

  /** The most bytes of one record; larger operations are several. */
  static final int MAX_PIECE = 16 * 1024;

  static final int MAX_RECORD = HEAD_BYTES + MAX_PIECE;

  static final byte READ = 1;
  static final byte WRITE = 2;
  static final byte FETCH_ADD = 3;
  static final byte COMPARE_AND_SET = 4;

  static final byte DONE = 1;
  static final byte REVOKED = 2;
  static final byte LOST = 3;

  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(LITTLE_ENDIAN);
  private static final ValueLayout.OfLong PLAIN = ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN);

  private LaneLayout() {}

  static long getAcquire(MemorySegment segment, long offset) {
    return (long) LONG.getAcquire(segment, offset);
  }

  static void putRelease(MemorySegment segment, long offset, long value) {
    LONG.setRelease(segment, offset, value);
  }

  static int getInt(MemorySegment record, long offset) {
    return record.get(INT, offset);
  }

  static void putInt(MemorySegment record, long offset, int value) {
    record.set(INT, offset, value);
  }

  static long getLong(MemorySegment record, long offset) {
    return record.get(PLAIN, offset);
  }

  static void putLong(MemorySegment record, long offset, long value) {
    record.set(PLAIN, offset, value);
  }

  /** Where in a segment a position of the ring is. */
  static long place(long position) {
    return RING + Math.floorMod(position, (long) RING_BYTES);
  }

  /** Bytes of a record that stand behind its head. */
  static int behind(int bytes) {
    return bytes <= INLINE_BYTES ? 0 : bytes;
  }

  /** Where the bytes of a record begin in it. */
  static int start(int bytes) {
    return bytes <= INLINE_BYTES ? INLINE : HEAD_BYTES;
  }

  /** What a record with so many bytes takes of the ring. */
  static int padded(int bytes) {
    return HEAD_BYTES + behind(bytes) + 63 & -64;
  }
}
