package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slipstream.transport.Session;

/**
 * A message of the control channel, sent into a receive that the peer has posted. Big-endian.
 *
 * <pre>
 *    0          2        4
 *   +----------+--------+-- - - - - --+
 *   | returned | length |    frame    |
 *   +----------+--------+-- - - - - --+
 * </pre>
 *
 * <ul>
 *   <li><b>returned</b>: receives that were posted again since the last message: the peer may send
 *       so many more.
 *   <li><b>length</b>: of the frame; 0 if the message is there for the credit only. With {@link
 *       #NOTICE} added, the frame is not the core's: it is the ticket of another session of the two
 *       processes, and says that this one is over.
 * </ul>
 */
final class MessageLayout {
  static final int RETURNED = 0;
  static final int LENGTH = 2;
  static final int FRAME = 4;

  /** Added to the length of a ticket. */
  static final int NOTICE = 0x8000;

  /** Room for the longest message, rounded up to cache lines. */
  static final int SLOT_BYTES = (FRAME + Session.MAX_FRAME_BYTES + 63) / 64 * 64;

  private static final ValueLayout.OfShort SHORT =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private MessageLayout() {}

  /** Writes a message; returns its length. */
  static int write(MemorySegment slot, int returned, ByteBuffer frame, boolean notice) {
    int length = frame.remaining();
    slot.set(SHORT, RETURNED, (short) returned);
    slot.set(SHORT, LENGTH, (short) (notice ? length | NOTICE : length));
    MemorySegment.copy(MemorySegment.ofBuffer(frame), 0, slot, FRAME, length);
    return FRAME + length;
  }

  static int returned(MemorySegment slot) {
    return Short.toUnsignedInt(slot.get(SHORT, RETURNED));
  }

  /** Whether the frame is a notice. */
  static boolean isNotice(MemorySegment slot) {
    return (slot.get(SHORT, LENGTH) & NOTICE) != 0;
  }

  /** Copies the frame out; null if the lengths contradict each other. */
  static byte @org.jspecify.annotations.Nullable [] frame(MemorySegment slot, int received) {
    if (received < FRAME || received > SLOT_BYTES) {
      return null;
    }
    int length = Short.toUnsignedInt(slot.get(SHORT, LENGTH)) & ~NOTICE;
    if (FRAME + length != received) {
      return null;
    }
    byte[] frame = new byte[length];
    MemorySegment.copy(slot, JAVA_BYTE, FRAME, frame, 0, length);
    return frame;
  }
}
