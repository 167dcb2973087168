package org.slipstream.core.ring;

/**
 * A position that did not prove itself: bytes before it are on their way, or lost. Says when it is
 * worth to compute the sum again, so that whoever polls does not read a whole ring each time: after
 * a microsecond, then after as long as the doubt has lasted, a millisecond at most.
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
  private long began;
  private long lookAt;

  /** The sum of what is there is not the word's. Returns true if that is a new doubt. */
  boolean raise(long refuted) {
    return raise(refuted, System.nanoTime());
  }

  boolean raise(long refuted, long now) {
    boolean fresh = !stands || word != refuted;
    if (fresh) {
      word = refuted;
      began = now;
    }
    lookAt = now + Math.clamp(now - began, SHORTEST_NS, LONGEST_NS);
    stands = true;
    return fresh;
  }

  /** The sum was right. Returns true if it had been in doubt. */
  boolean settle() {
    boolean stood = stands;
    stands = false;
    return stood;
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
    return now - began >= USUAL_NS;
  }
}
