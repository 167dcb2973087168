package org.slipstream.rdma;

import java.nio.ByteBuffer;

/**
 * A proof as it is written.
 *
 * @param first eight bytes
 * @param rest four bytes
 */
record Proof(long first, int rest) {
  static final Proof NONE = new Proof(0, 0);
  static final int BYTES = Long.BYTES + Integer.BYTES;

  static Proof get(ByteBuffer in) {
    return new Proof(in.getLong(), in.getInt());
  }

  void put(ByteBuffer out) {
    out.putLong(first).putInt(rest);
  }

  /** Takes the same time whatever differs. */
  boolean isSame(Proof other) {
    return ((first ^ other.first) | (rest ^ other.rest)) == 0;
  }
}
