package org.slipstream.it.process;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * Endless bytes that both ends can make from a seed. The period is prime, so that a ring or a page
 * that is read twice or left out shows at once.
 */
final class PeerPattern {
  private static final int PERIOD = 65_521;

  private final byte[] table = new byte[PERIOD];

  PeerPattern(long seed) {
    new Random(seed).nextBytes(table);
  }

  /** Fills a buffer with the bytes that come at a position. */
  void fill(ByteBuffer dst, long position) {
    long at = position;
    while (dst.hasRemaining()) {
      int from = (int) (at % PERIOD);
      int n = Math.min(dst.remaining(), PERIOD - from);
      dst.put(table, from, n);
      at += n;
    }
  }

  /**
   * Compares.
   *
   * @throws IllegalStateException that names the first wrong byte
   */
  void check(byte[] bytes, int length, long position) {
    long at = position;
    for (int done = 0; done < length; ) {
      int from = (int) (at % PERIOD);
      int n = Math.min(length - done, PERIOD - from);
      int wrong = Arrays.mismatch(bytes, done, done + n, table, from, from + n);
      if (wrong >= 0) {
        throw new IllegalStateException("corrupt at byte " + (at + wrong));
      }
      done += n;
      at += n;
    }
  }
}
