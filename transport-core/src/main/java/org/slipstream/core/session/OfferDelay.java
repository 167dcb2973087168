package org.slipstream.core.session;

/**
 * For how many ticks a stream is held before it is offered. A program whose streams end soon after
 * their offer pays for each, with some exchanges at both ends, and gains nothing: then streams are
 * held longer, until those do not live to be offered. A program whose streams live on, or do much
 * in a short life, has the shortest delay again after a few of them; what one loses until then is a
 * part of a second.
 *
 * <p>One thread.
 */
final class OfferDelay {
  /** So a stream is offered at the second tick of its life. */
  static final int LEAST = 1;

  /**
   * An offer costs both ends together as much processor time as some eighty system calls, and a
   * stream on the ring saves one for each message.
   */
  static final long WORTHWHILE_MESSAGES = 128;

  private final int most;
  private int ticks = LEAST;

  /**
   * The shortest delay.
   *
   * @param most ticks at most
   */
  OfferDelay(int most) {
    this.most = Math.max(LEAST, most);
  }

  int ticks() {
    return ticks;
  }

  /**
   * What became of streams that were offered at one time.
   *
   * @param worthwhile how many are still open, or have had {@link #WORTHWHILE_MESSAGES} since then
   * @param wasted how many ended before
   */
  void learn(int worthwhile, int wasted) {
    if (wasted > worthwhile) {
      ticks = Math.min(2 * ticks, most);
    } else if (worthwhile > wasted) {
      ticks = Math.max(ticks / 2, LEAST);
    }
  }
}
