package org.slipstream.transport.slab;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * How the owner of a window names it to the peer: 8 bytes, big-endian.
 *
 * <pre>
 *   0        4        8
 *   +--------+--------+
 *   |  slab  |  slot  |
 *   +--------+--------+
 * </pre>
 *
 * @param slab the number of the slab in the session
 * @param slot the number of the window in the slab
 */
public record SlotName(int slab, int slot) {

  /** Bytes of a name. */
  public static final int BYTES = 8;

  /**
   * Writes it.
   *
   * @param out receives {@link #BYTES}
   */
  public void put(ByteBuffer out) {
    out.putInt(slab).putInt(slot);
  }

  /**
   * Reads what a peer has written.
   *
   * @param in hostile input
   * @return two numbers, unchecked
   * @throws IOException it is no name at all
   */
  public static SlotName read(ByteBuffer in) throws IOException {
    if (in.remaining() != BYTES) {
      throw new IOException("A window descriptor of " + in.remaining() + " bytes");
    }
    return new SlotName(in.getInt(), in.getInt());
  }
}
