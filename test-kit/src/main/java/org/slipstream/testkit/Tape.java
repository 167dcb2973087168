package org.slipstream.testkit;

import java.nio.ByteBuffer;

/**
 * An endless tape of bytes that follows from a seed. A writer fills its buffers from one copy, the
 * reader compares with another, so that a byte that is lost, doubled, moved or foreign is found at
 * its place. Not safe for use by several threads.
 */
public final class Tape {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private final long seed;
  private long position;
  private long word;

  /** Puts a new tape at its start. */
  public Tape(long seed) {
    this.seed = seed;
  }

  /** How many bytes have gone by. */
  public long position() {
    return position;
  }

  /** Fills what remains of the buffer with the next bytes of the tape. */
  public void fill(ByteBuffer buffer) {
    while (buffer.hasRemaining()) {
      buffer.put(next());
    }
  }

  /** The next bytes of the tape, ready to be written. */
  public ByteBuffer next(int length) {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    fill(buffer);
    return buffer.flip();
  }

  /**
   * Consumes what remains of the buffer; fails at the first byte that is not the tape's next one.
   */
  public void verify(ByteBuffer buffer) {
    while (buffer.hasRemaining()) {
      byte actual = buffer.get();
      byte expected = next();
      if (actual != expected) {
        throw new AssertionError(
            "Byte %d of the stream is %02x and should be %02x (seed %d)"
                .formatted(position - 1, actual, expected, seed));
      }
    }
  }

  private byte next() {
    int lane = (int) (position & 7);
    if (lane == 0) {
      word = mix(seed + GOLDEN_GAMMA * (position >>> 3));
    }
    position++;
    return (byte) (word >>> (lane << 3));
  }

  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
    return b ^ (b >>> 31);
  }
}
