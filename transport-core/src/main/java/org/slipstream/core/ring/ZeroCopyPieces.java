package org.slipstream.core.ring;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of the program's own buffers that stand for pieces of the ring while a write lasts, so
 * that large writes travel without a copy. When the program gets its buffers back, what the peer
 * has not taken yet is copied into the ring after all.
 *
 * <pre>
 *   buffers  |....|======|   |..|==============|....|
 *                 at            at
 *   ring     .....from...to......from .. credit .. to
 *                (taken)        (taken)    (kept)
 * </pre>
 *
 * <p>Guarded by the write lock; allocates nothing.
 */
final class ZeroCopyPieces {

  /** Writes of direct buffers may travel without a copy from this length on. */
  static final int LEAST_BYTES = 64 * 1024;

  /** A longer piece would keep the reader, and other streams on the same medium, waiting. */
  static final int MOST_BYTES = 1 << 20;

  /** More of them end the zero-copy send in the middle of the write: it waits once. */
  static final int PIECES = 16;

  private final @Nullable ByteBuffer[] sources = new ByteBuffer[PIECES];
  private final int[] at = new int[PIECES];
  private final long[] from = new long[PIECES];
  private final long[] to = new long[PIECES];
  private int count;

  boolean stands() {
    return count > 0;
  }

  /**
   * The buffer's bytes from an index on stand for those from a position on.
   *
   * @return false if nothing was noted, because there is no place
   */
  @SuppressWarnings("ReferenceEquality") // the same buffer, and not one with the same bytes
  boolean add(ByteBuffer buffer, int index, long position, int bytes) {
    int last = count - 1;
    if (last >= 0
        && sources[last] == buffer
        && to[last] == position
        && at[last] + (position - from[last]) == index) {
      to[last] += bytes;
      return true;
    }
    if (count == PIECES) {
      return false;
    }
    sources[count] = buffer;
    at[count] = index;
    from[count] = position;
    to[count] = position + bytes;
    count++;
    return true;
  }

  /** Forgets the buffers. */
  void end() {
    while (count > 0) {
      sources[--count] = null;
    }
  }

  /**
   * Copies what the peer has given no credit for.
   *
   * @param ring where to
   * @param places where in there
   */
  void keep(ByteBuffer ring, RingPlaces places, long credit) {
    for (int i = 0; i < count; i++) {
      ByteBuffer buffer = sources[i];
      if (buffer != null) {
        keep(ring, places, buffer, i, Math.max(credit, from[i]));
      }
    }
  }

  private void keep(ByteBuffer ring, RingPlaces places, ByteBuffer buffer, int piece, long first) {
    long position = first;
    while (position < to[piece]) {
      int n = (int) Math.min(to[piece] - position, places.run(position));
      int index = at[piece] + (int) (position - from[piece]);
      ring.put(places.offset(position), buffer, index, n);
      position += n;
    }
  }
}
