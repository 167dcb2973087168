package org.slipstream.core.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What may follow MARK on the TCP connection: the only truth about its control bytes.
 *
 * <pre>
 *   01                       DOORBELL   look at your ring
 *   02 pppppppp              FAIL       the link failed; what follows on TCP is raw, from position p
 *                                       on (8 bytes, little-endian): the reader drops what it has read
 *                                       beyond p already
 *   03 pppppppp              BACK       this direction leaves the ring at position p (8 bytes, little-endian);
 *                                       what follows on TCP is raw, from that position on
 *   anything else            a reset
 * </pre>
 */
public final class ControlBytes {
  /** The reader should look at its ring. */
  public static final byte DOORBELL = 1;

  /** The link failed: the direction goes on raw from a position that the reader may have passed. */
  public static final byte FAIL = 2;

  /** Bytes of FAIL behind its first byte. */
  public static final int FAIL_BODY_BYTES = 8;

  /** The direction leaves the ring. */
  public static final byte BACK = 3;

  /** Bytes of BACK behind its first byte. */
  public static final int BACK_BODY_BYTES = 8;

  private ControlBytes() {}

  /** FAIL, with the bytes that the peer may not have got behind it. */
  static ByteBuffer fail(long position, ByteBuffer unacknowledged) {
    ByteBuffer b =
        ByteBuffer.allocate(1 + FAIL_BODY_BYTES + unacknowledged.remaining())
            .order(ByteOrder.LITTLE_ENDIAN);
    return b.put(FAIL).putLong(position).put(unacknowledged).flip();
  }

  static ByteBuffer back(long position) {
    ByteBuffer b = ByteBuffer.allocate(1 + BACK_BODY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return b.put(BACK).putLong(position).flip();
  }
}
