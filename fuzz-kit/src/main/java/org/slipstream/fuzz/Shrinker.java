package org.slipstream.fuzz;

import java.util.function.Predicate;

/** Makes a failing input short, and its bytes zero, as long as it fails in the same way. */
final class Shrinker {
  private final Predicate<byte[]> fails;
  private final long deadline;

  /**
   * Makes one.
   *
   * @param fails whether an input fails in the way that is looked for
   * @param nanos after which it is good enough
   */
  Shrinker(Predicate<byte[]> fails, long nanos) {
    this.fails = fails;
    this.deadline = System.nanoTime() + nanos;
  }

  byte[] shrink(byte[] input) {
    byte[] best = input;
    int before;
    do {
      before = best.length;
      for (int piece = Math.max(1, best.length / 2); piece > 0; piece /= 2) {
        best = withoutPieces(best, piece);
      }
    } while (best.length < before && !isLate());
    return withZeros(best);
  }

  private byte[] withoutPieces(byte[] input, int piece) {
    byte[] best = input;
    int at = 0;
    while (at < best.length && !isLate()) {
      int n = Math.min(piece, best.length - at);
      byte[] shorter = new byte[best.length - n];
      System.arraycopy(best, 0, shorter, 0, at);
      System.arraycopy(best, at + n, shorter, at, best.length - at - n);
      if (fails.test(shorter.clone())) {
        best = shorter;
      } else {
        at += n;
      }
    }
    return best;
  }

  private byte[] withZeros(byte[] input) {
    byte[] best = input;
    for (int i = 0; i < best.length && !isLate(); i++) {
      if (best[i] != 0) {
        byte[] simpler = best.clone();
        simpler[i] = 0;
        if (fails.test(simpler.clone())) {
          best = simpler;
        }
      }
    }
    return best;
  }

  private boolean isLate() {
    return System.nanoTime() - deadline >= 0;
  }
}
