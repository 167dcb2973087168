package org.slipstream.ntb;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The segment by which one end of a session is talked to, written by the other: the only truth
 * about its bytes. Words are little-endian and stand on lines of their own.
 *
 * <pre>
 *   0         64        128       192          4096                        4096 + RING_BYTES
 *   +---------+---------+---------+-- - - - ---+---------------------------+
 *   |position |  taken  | request |            | ring of messages          |
 *   +---------+---------+---------+-- - - - ---+---------------------------+
 *
 *   a message in the ring, padded to 8:   length(4) kind(1) 0(3) | body | proof(16)
 * </pre>
 *
 * <ul>
 *   <li><b>position</b>: bytes of messages that were ever stored into this ring.
 *   <li><b>taken</b>: bytes that the writer has taken out of <i>our</i> messages to it.
 *   <li><b>request</b>: how often the writer ran out of room; wants one WAKE each.
 * </ul>
 */
final class SessionLayout {
  static final int POSITION = 0;
  static final int TAKEN = 64;
  static final int ROOM_REQUEST = 128;
  static final int RING = 4096;
  static final int RING_BYTES = 64 * 1024;
  static final int BYTES = RING + RING_BYTES;

  static final int HEAD_BYTES = 8;

  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

  private SessionLayout() {}

  static long get(MemorySegment segment, long offset) {
    return (long) LONG.getAcquire(segment, offset);
  }

  static void put(MemorySegment segment, long offset, long value) {
    LONG.setRelease(segment, offset, value);
  }

  /** Bytes that a message takes in the ring. */
  static int padded(int body) {
    return HEAD_BYTES + body + MessageMac.BYTES + 7 & ~7;
  }
}
