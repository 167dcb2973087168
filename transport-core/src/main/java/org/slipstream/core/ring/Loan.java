package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the program's own buffer that stands for a piece of the ring while a write lasts, so
 * that large writes travel without a copy. When the program gets its buffer back, what the peer has
 * not taken yet is copied into the ring after all.
 *
 * <pre>
 *   buffer   |....|======================|.......|
 *                 at                     at + (to - from)
 *   ring          from ..... credit ..... to
 *                     (taken)   (kept)
 * </pre>
 *
 * <p>Guarded by the write lock; allocates nothing.
 */
final class Loan {
  private @Nullable ByteBuffer source;
  private int at;
  private long from;
  private long to;

  boolean stands() {
    return source != null;
  }

  /** Whether bytes of a position can be added: they follow what is lent, in the same write. */
  boolean reaches(long position) {
    return source != null && to == position;
  }

  /** The buffer's bytes from an index on will be lent as those from a position on. */
  void begin(ByteBuffer buffer, int index, long position) {
    source = buffer;
    at = index;
    from = position;
    to = position;
  }

  void grow(int bytes) {
    to += bytes;
  }

  /** Forgets the buffer. */
  void end() {
    source = null;
  }

  /**
   * Copies what the peer has given no credit for.
   *
   * @param ring a power of two long
   */
  void keep(ByteBuffer ring, long credit) {
    ByteBuffer buffer = source;
    if (buffer == null) {
      return;
    }
    int size = ring.capacity();
    long position = Math.max(credit, from);
    while (position < to) {
      int offset = (int) position & size - 1;
      int n = (int) Math.min(to - position, size - offset);
      ring.put(offset, buffer, at + (int) (position - from), n);
      position += n;
    }
  }
}
