package org.slipstream.core.stream;

/**
 * When a direction leaves a ring that stays full, and when it may come back.
 *
 * <p>A reader that was only kept off its core for a moment finds the direction back in the ring at
 * its next write. Where epochs end almost as soon as they began, the program writes far ahead of
 * its peer, or the peer needs long to read its way to MARK: then returns become rare, and an epoch
 * whose MARK was not read yet gets more time.
 *
 * <p>Guarded by the write lock.
 */
final class OverflowRule {

  /**
   * A ring that was full for so long, with no byte taken out, makes its direction fall back to TCP.
   */
  static final long GRACE_NS = 20_000_000;

  /** So long if the peer has yet to read its way through the kernel's buffers to MARK. */
  private static final long UNSEEN_GRACE_NS = 100_000_000;

  /** An epoch that carried so many bytes was worth it. */
  private static final long GOOD_EPOCH_BYTES = 1 << 20;

  private static final int MOST_DOUBLINGS = 4;

  /** Epochs in a row that were not worth it. */
  private int shortEpochs;

  private long leftAt;

  /**
   * How long a full ring is borne.
   *
   * @param seen whether the peer is known to have read MARK of this epoch
   * @return nanoseconds
   */
  long grace(boolean seen) {
    return seen ? GRACE_NS : UNSEEN_GRACE_NS << Math.max(0, shortEpochs - 1);
  }

  /** The direction falls back to TCP. */
  void overflowed(long epochBytes, long now) {
    shortEpochs = epochBytes >= GOOD_EPOCH_BYTES ? 0 : Math.min(MOST_DOUBLINGS, shortEpochs + 1);
    leftAt = now;
  }

  /** Whether a direction that the peer has emptied may begin another epoch. */
  boolean mayReturn(long now) {
    return shortEpochs <= 1 || now - leftAt > (GRACE_NS << (shortEpochs - 1));
  }
}
