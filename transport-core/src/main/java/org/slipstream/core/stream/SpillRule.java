package org.slipstream.core.stream;

/**
 * When a direction leaves a ring that stays full, and when it may come back.
 *
 * <p>A reader that was only kept off its core for a moment finds the direction back in the ring at
 * its next write. Where turns end almost as soon as they began, the program writes far ahead of its
 * peer, or the peer needs long to read its way to MARK: then returns become rare, and a turn whose
 * MARK was not read yet gets more time.
 *
 * <p>Guarded by the write lock.
 */
final class SpillRule {

  /** A ring that was full for so long, with no byte taken out, spills over. */
  static final long PATIENCE_NS = 20_000_000;

  /** So long if the peer has yet to read its way through the kernel's buffers to MARK. */
  private static final long UNSEEN_PATIENCE_NS = 100_000_000;

  /** A turn that carried so many bytes was worth it. */
  private static final long GOOD_TURN_BYTES = 1 << 20;

  private static final int MOST_DOUBLINGS = 4;

  /** Turns in a row that were not worth it. */
  private int vain;

  private long leftAt;

  /**
   * How long a full ring is borne.
   *
   * @param seen whether the peer is known to have read MARK of this turn
   * @return nanoseconds
   */
  long patience(boolean seen) {
    return seen ? PATIENCE_NS : UNSEEN_PATIENCE_NS << Math.max(0, vain - 1);
  }

  /** The direction spills over. */
  void spilled(long turnBytes, long now) {
    vain = turnBytes >= GOOD_TURN_BYTES ? 0 : Math.min(MOST_DOUBLINGS, vain + 1);
    leftAt = now;
  }

  /** Whether a direction that the peer has emptied may begin another turn. */
  boolean mayReturn(long now) {
    return vain <= 1 || now - leftAt > (PATIENCE_NS << (vain - 1));
  }
}
