package org.slipstream.ntb;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A file that two nodes map: the only truth about its offsets. The lower node id owns the first
 * half, the higher one the second. Words are little-endian; "P" is written by the peer, the rest by
 * the owner of the half.
 *
 * <pre>
 *   0      8      64      72       80     88  4096          12288          20480     65536      half
 *   +------+------+-------+--------+------+---+-------------+--------------+--- - ---+- - - - --+
 *   |magic |epoch |taken P|sender P|beat P|   | 256 entries | 64 messages P|         | segments |
 *   +------+------+-------+--------+------+---+-------------+--------------+--- - ---+- - - - --+
 *
 *   entry:     id(4) state(4) offset(8) bytes(8) serial(8)     offset counts from the half's start
 *   message:   length(4) 0(4) data(64) 0(48) number(8)
 * </pre>
 *
 * <ul>
 *   <li><b>epoch</b>: a random number for each time that a process takes the half; 0 = no process.
 *   <li><b>taken</b>: how many of the owner's messages the peer has taken.
 *   <li><b>sender</b>: the peer's epoch, as the peer says it.
 *   <li><b>beat</b>: changes as long as the peer's process runs; 0 = it has not begun. Of an older
 *       version it is always 0.
 *   <li><b>number</b>: {@link #number} of the n-th message between two epochs; stored after the
 *       rest.
 * </ul>
 */
final class FileLayout {
  static final long MAGIC = 0x31_46_42_54_4E_4C_53L; // "SLNTBF1"

  static final int EPOCH = 8;
  static final int TAKEN = 64;
  static final int SENDER = 72;
  static final int BEAT = 80;
  static final int ENTRIES = 4096;
  static final int ENTRY_BYTES = 32;
  static final int MAX_ENTRIES = 256;
  static final int MESSAGES = 12288;
  static final int MESSAGE_BYTES = 128;
  static final int MAX_MESSAGES = 64;
  static final int SEGMENTS = 65536;

  /** Segments begin at multiples of it: at a cache line at least, so that words are whole. */
  static final int ALIGNMENT = 64;

  static final int ENTRY_STATE = 4;
  static final int ENTRY_OFFSET = 8;
  static final int ENTRY_SIZE = 16;
  static final int ENTRY_SERIAL = 24;

  static final int MESSAGE_DATA = 8;
  static final int MESSAGE_NUMBER = 120;

  /** Less is of no use: one slab of the smallest rings. */
  static final long MIN_FILE_BYTES = 1024 * 1024;

  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
  private static final VarHandle INT =
      ValueLayout.JAVA_INT.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

  private FileLayout() {}

  static long getLong(MemorySegment half, long offset) {
    return (long) LONG.getAcquire(half, offset);
  }

  static void putLong(MemorySegment half, long offset, long value) {
    LONG.setRelease(half, offset, value);
  }

  static int getInt(MemorySegment half, long offset) {
    return (int) INT.getAcquire(half, offset);
  }

  static void putInt(MemorySegment half, long offset, int value) {
    INT.setRelease(half, offset, value);
  }

  static long entry(int index) {
    return ENTRIES + (long) index * ENTRY_BYTES;
  }

  static long message(long index) {
    return MESSAGES + Math.floorMod(index, (long) MAX_MESSAGES) * MESSAGE_BYTES;
  }

  /** What a message of an earlier process, at either end, does not have. */
  static long number(long receiverEpoch, long senderEpoch, long index) {
    return receiverEpoch * 31 + senderEpoch + index;
  }
}
