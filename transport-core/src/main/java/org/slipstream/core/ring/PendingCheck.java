package org.slipstream.core.ring;

/**
 * A position whose checksum did not match: bytes before it are on their way, or lost. Says when it
 * is worth to compute the sum again, so that a polling reader does not read a whole ring each time:
 * after a microsecond, then after as long as the check has been pending, a millisecond at most.
 *
 * <p>Written under the read lock; the looks of others are racy, and hints.
 */
final class PendingCheck {
  private static final long SHORTEST_NS = 1_000;
  private static final long LONGEST_NS = 1_000_000;

  /** Stores of one publish arrive within so long, unless something went wrong. */
  private static final long USUAL_NS = 50_000;

  private boolean stands;
  private long word;

  /** Since when nothing has matched. */
  private long began;

  /** Since when it is this word. */
  private long mismatchedSince;

  private long looked;
  private long lookAt;

  /** The sum of what is there is not the word's. */
  void raise(long mismatched) {
    raise(mismatched, System.nanoTime());
  }

  void raise(long mismatched, long now) {
    if (!stands) {
      began = now;
    }
    if (!stands || word != mismatched) {
      word = mismatched;
      mismatchedSince = now;
    }
    looked = now;
    lookAt = now + Math.clamp(now - mismatchedSince, SHORTEST_NS, LONGEST_NS);
    stands = true;
  }

  /** The sum was right. Returns true if it had been pending. */
  boolean settle() {
    boolean stood = stands;
    stands = false;
    return stood;
  }

  /**
   * How long it stood at the last look, for this word and those before it; 0 if it does not. A peer
   * that goes on writing behind a hole does not end the check.
   */
  long nanos() {
    return stands ? 1 + looked - began : 0;
  }

  /** Whether the word failed so short a time ago that it would fail again. */
  boolean isFresh(long current) {
    return stands && word == current && isFreshAt(System.nanoTime());
  }

  /** Whether the word has been pending for longer than bytes usually travel. */
  boolean isLasting(long current) {
    return stands && word == current && isLastingAt(System.nanoTime());
  }

  boolean isFreshAt(long now) {
    return now - lookAt < 0;
  }

  boolean isLastingAt(long now) {
    return now - mismatchedSince >= USUAL_NS;
  }
}
