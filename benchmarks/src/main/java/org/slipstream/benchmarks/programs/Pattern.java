package org.slipstream.benchmarks.programs;

import java.io.IOException;

/**
 * Bytes that differ from place to place, for the last message of a slice: one that is lost, doubled
 * or moved shows. That message is not timed.
 */
final class Pattern {
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
  private static final int TOP_BYTE = 56;

  private Pattern() {}

  private static byte at(long place) {
    return (byte) (((place + 1) * GOLDEN) >>> TOP_BYTE);
  }

  /**
   * Stores the bytes of these places of a message in the buffer, where they have the same place.
   */
  static void fill(Wire wire, int from, int to) {
    for (int i = from; i < to; i++) {
      wire.put(i, at(i));
    }
  }

  /**
   * Compares bytes of the buffer.
   *
   * @param from the first of them
   * @param to behind the last of them
   * @param place in the message of the first byte of the buffer
   * @throws IOException if one is another than was sent
   */
  static void check(Wire wire, int from, int to, long place) throws IOException {
    for (int i = from; i < to; i++) {
      if (wire.get(i) != at(place + i)) {
        throw new IOException("byte " + (place + i) + " of a message came changed");
      }
    }
  }
}
