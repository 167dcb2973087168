package org.slipstream.core.ring;

/**
 * A position that did not prove itself: bytes before it are on their way, or lost. Says when it is
 * worth to compute the sum again, so that a polling reader does not read a whole ring each time:
 * after a microsecond, then after as long as the doubt has lasted, a millisecond at most.
 *
 * <p>Written under the read lock; the looks of others are racy, and hints.
 */
final class Doubt {
  private static final long SHORTEST_NS = 1_000;
  private static final long LONGEST_NS = 1_000_000;

  /** Stores of one publish arrive within so long, unless something went wrong. */
  private static final long USUAL_NS = 50_000;

  private boolean stands;
  private long word;

  /** Since when nothing has proven itself. */
  private long began;

  /** Since when it is this word. */
  private long refutedSince;

  private long looked;
  private long lookAt;

  /** The sum of what is there is not the word's. */
  void raise(long refuted) {
    raise(refuted, System.nanoTime());
  }

  void raise(long refuted, long now) {
    if (!stands) {
      began = now;
    }
    if (!stands || word != refuted) {
      word = refuted;
      refutedSince = now;
    }
    looked = now;
    lookAt = now + Math.clamp(now - refutedSince, SHORTEST_NS, LONGEST_NS);
    stands = true;
  }

  /** The sum was right. Returns true if it had been in doubt. */
  boolean settle() {
    boolean stood = stands;
    stands = false;
    return stood;
  }

  /**
   * How long it stood at the last look, for this word and those before it; 0 if it does not. A peer
   * that goes on writing behind a hole does not end the doubt.
   */
  long nanos() {
    return stands ? 1 + looked - began : 0;
  }

  /** Whether the word was refuted so short a time ago that it would be again. */
  boolean isFresh(long current) {
    return stands && word == current && isFreshAt(System.nanoTime());
  }

  /** Whether the word has been in doubt for longer than bytes usually travel. */
  boolean isLasting(long current) {
    return stands && word == current && isLastingAt(System.nanoTime());
  }

  boolean isFreshAt(long now) {
    return now - lookAt < 0;
  }

  boolean isLastingAt(long now) {
    return now - refutedSince >= USUAL_NS;
  }
}
