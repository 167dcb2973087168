package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where a window lies in its owner's memory: what the peer's device needs to write it. Big-endian.
 *
 * <pre>
 *    0                8                16     20           24      28
 *   +----------------+----------------+------+------------+-------+
 *   |control address |  ring address  | rkey | ring bytes | order |
 *   +----------------+----------------+------+------------+-------+
 * </pre>
 *
 * @param control address of the control block, in the owner's process
 * @param ring address of the ring, in the owner's process
 * @param key rkey of the region that holds both
 * @param ringBytes size of the ring, a power of two
 * @param order what the owner wants of its writer: 0 trusted, 1 checksummed, 2 completed
 */
record WindowDescriptor(long control, long ring, int key, int ringBytes, RdmaOrder order) {
  static final int BYTES = 28;

  private static final int MIN_RING_BYTES = 16 * 1024;
  private static final int MAX_RING_BYTES = 64 * 1024 * 1024;

  void put(ByteBuffer out) {
    out.putLong(control).putLong(ring).putInt(key).putInt(ringBytes).putInt(order.number());
  }

  /** Reads hostile bytes. Wrong addresses and keys are the device's to refuse: at the peer. */
  static WindowDescriptor read(ByteBuffer in) throws IOException {
    if (in.remaining() != BYTES) {
      throw new IOException("A window descriptor of " + in.remaining() + " bytes");
    }
    long control = in.getLong();
    long ring = in.getLong();
    int key = in.getInt();
    int ringBytes = in.getInt();
    int order = in.getInt();
    if (ringBytes < MIN_RING_BYTES
        || ringBytes > MAX_RING_BYTES
        || Integer.bitCount(ringBytes) != 1) {
      throw new IOException("A window of the peer has " + ringBytes + " bytes");
    }
    return new WindowDescriptor(control, ring, key, ringBytes, RdmaOrder.of(order));
  }
}
