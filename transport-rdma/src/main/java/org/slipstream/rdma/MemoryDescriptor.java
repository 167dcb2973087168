package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a client needs to reach one-sided memory: the only truth about its bytes. Big-endian.
 *
 * <pre>
 *    0         8      12              20         24        25
 *   +---------+------+---------------+----------+---------+
 *   | address | rkey | flush address |flush rkey| atomics |
 *   +---------+------+---------------+----------+---------+
 * </pre>
 *
 * @param address of the memory, in the owner's process
 * @param key rkey of the grant
 * @param flushAddress of a word behind the same device that may always be read: the answer to a
 *     read pushes earlier writes into memory
 * @param flushKey its rkey
 * @param atomics whether the owner's device has atomic operations
 */
record MemoryDescriptor(long address, int key, long flushAddress, int flushKey, boolean atomics) {
  static final int BYTES = 25;

  void put(ByteBuffer out) {
    out.putLong(address).putInt(key).putLong(flushAddress).putInt(flushKey);
    out.put((byte) (atomics ? 1 : 0));
  }

  /** Reads hostile bytes. Wrong addresses and keys are the device's to refuse: at the peer. */
  static MemoryDescriptor read(ByteBuffer in) throws IOException {
    if (in.remaining() != BYTES) {
      throw new IOException("A region was described with " + in.remaining() + " bytes");
    }
    return new MemoryDescriptor(
        in.getLong(), in.getInt(), in.getLong(), in.getInt(), in.get() != 0);
  }
}
