package org.slipstream.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How large a page of this kernel is: 4 KiB on x86-64, but 16 or 64 KiB on some kernels of other
 * processors. The kernel says it to each process in its auxiliary vector: pairs of words, a key and
 * a value, up to the key 0.
 */
final class PageSize {
  /** Larger than any piece of memory, so that none is of whole pages. */
  static final long UNKNOWN = Long.MAX_VALUE;

  private static final Path VECTOR = Path.of("/proc/self/auxv");
  private static final long AT_PAGESZ = 6;

  private PageSize() {}

  /** Of this kernel, in bytes; {@link #UNKNOWN} if it does not say. */
  static long ofKernel() {
    try {
      return of(ByteBuffer.wrap(Files.readAllBytes(VECTOR)).order(ByteOrder.nativeOrder()));
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** As an auxiliary vector of 64-bit words says. */
  static long of(ByteBuffer vector) {
    while (vector.remaining() >= 2 * Long.BYTES) {
      long key = vector.getLong();
      long value = vector.getLong();
      if (key == 0) {
        return UNKNOWN;
      }
      if (key == AT_PAGESZ) {
        return Long.bitCount(value) == 1 ? value : UNKNOWN;
      }
    }
    return UNKNOWN;
  }
}
