package org.slipstream.core.ring;

/**
 * Where in a ring the byte of a position lies. A ring uses no more of its memory than its traffic
 * needs: its <em>extent</em>, a power of two of bytes from its beginning. The writer widens it when
 * it runs out of space and the reader has put storage behind more. What was written before stays
 * where it is, and what follows begins behind the old extent:
 *
 * <pre>
 *   extent 4, and 16 from position 6 on
 *
 *   position  0  1  2  3  4  5 | 6  7  8  ...  17  18  19
 *   offset    0  1  2  3  0  1 | 4  5  6  ...  15   0   1
 * </pre>
 *
 * <p>So nothing unread is overwritten and no writer waits for an empty ring, as long as positions
 * stay below {@link #limit}. Both ends keep one and widen it at the same position. Pure; guarded by
 * the lock of its direction, except that a selector may read {@link #limit}, {@link #extent} and
 * {@link #isSettled} racily.
 */
final class RingPlaces {
  private int extent;

  /** Positions from {@link #since} on lie as if position {@code base} were at offset 0. */
  private long base;

  /** The first position of this extent. */
  private long since = -1;

  /** Those of the positions before. */
  private int formerExtent;

  private long formerBase;

  /**
   * Makes the places of a ring that was not used yet.
   *
   * @param extent a power of two of bytes; 0: not known yet
   */
  RingPlaces(int extent) {
    begin(extent);
  }

  /** The extent is known; once, before the first byte. */
  void begin(int bytes) {
    extent = bytes;
    formerExtent = bytes;
  }

  /** How many bytes of the ring are in use, from its beginning. */
  int extent() {
    return extent;
  }

  /**
   * Uses more of the ring.
   *
   * @param position the first that is not written yet; what was written before the last widening is
   *     taken out
   * @param bytes a larger power of two
   */
  void widen(long position, int bytes) {
    formerBase = base;
    formerExtent = extent;
    base = position - extent;
    since = position;
    extent = bytes;
  }

  /**
   * Whether the reader has taken out a byte of this extent, so that it knows of it: then the ring
   * may be widened again.
   */
  boolean isSettled(long acknowledged) {
    return acknowledged > since;
  }

  /** Positions from here on would overwrite what the peer has not taken out. */
  long limit(long acknowledged) {
    return (acknowledged >= since ? acknowledged : base) + extent;
  }

  /** Where the byte of a position lies. */
  int offset(long position) {
    return position >= since
        ? (int) (position - base) & extent - 1
        : (int) (position - formerBase) & formerExtent - 1;
  }

  /** How many bytes lie side by side from a position on; at least 1. */
  int run(long position) {
    int offset = offset(position);
    return position >= since
        ? extent - offset
        : (int) Math.min(formerExtent - offset, since - position);
  }
}
