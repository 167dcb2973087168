package org.slipstream.rdma;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Sixteen bytes that cannot be guessed: a nonce, a challenge, or the ticket of a session.
 *
 * @param high the first half
 * @param low the second half
 */
record Token(long high, long low) {
  static final int BYTES = 2 * Long.BYTES;
  static final Token NONE = new Token(0, 0);

  private static final SecureRandom RANDOM = new SecureRandom();

  static Token random() {
    return new Token(RANDOM.nextLong(), RANDOM.nextLong());
  }

  static Token get(ByteBuffer in) {
    return new Token(in.getLong(), in.getLong());
  }

  void put(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** A secret is not written to logs. */
  @Override
  public String toString() {
    return equals(NONE) ? "none" : "secret";
  }
}
