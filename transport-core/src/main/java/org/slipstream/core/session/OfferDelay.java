package org.slipstream.core.session;

/**
 * For how long a stream is held before it is offered. A program whose streams end soon after their
 * offer pays for each, with some exchanges at both ends, and gains nothing: then streams are held
 * longer, until those do not live to be offered. A program whose streams live on, or do much in a
 * short life, has a short delay again after a few of them; what one loses until then is a part of a
 * second. Where they do all of it before they are offered, such as a hundred requests to a server
 * that closes behind the hundredth, they are not held at all.
 *
 * <p>Taught by one thread.
 */
final class OfferDelay {
  /** Streams are not held: see {@link #isNone}. */
  private static final int NONE = 0;

  /** In the beginning a stream is offered at the second tick of its life. */
  static final int FIRST = 1;

  /**
   * An offer costs both ends together as much processor time as some eighty system calls, and a
   * stream on the ring saves one for each message.
   */
  static final long WORTHWHILE_MESSAGES = 128;

  /** What became of a stream that was offered. */
  enum Lesson {
    /** It is still open, or has carried enough since then. */
    WORTHWHILE,
    /** It has ended, and would have been worth it if it had been offered sooner. */
    LATE,
    /** It has ended with little. */
    WASTED
  }

  /** A stream that is not held has had so many, as a rule, when its offer is accepted. */
  private static final long FIRST_MESSAGES = 32;

  private final int most;

  /** Written by the thread that teaches; read by any. */
  private volatile int ticks = FIRST;

  /**
   * The first delay.
   *
   * @param most ticks at most
   */
  OfferDelay(int most) {
    this.most = Math.max(FIRST, most);
  }

  int ticks() {
    return ticks;
  }

  /** Whether streams are offered as soon as they are eligible. Any thread. */
  boolean isNone() {
    return ticks == NONE;
  }

  /**
   * Whether a stream with so many messages in its life was worth an offer at its beginning.
   *
   * @param messages of both directions
   */
  static boolean isMuch(long messages) {
    return messages >= FIRST_MESSAGES + WORTHWHILE_MESSAGES;
  }

  /**
   * What a stream teaches that was offered a while ago.
   *
   * @param isOpen whether it lives on
   * @param before how many messages it had had when it was offered
   * @param messages how many it has had in its life so far
   */
  static Lesson lesson(boolean isOpen, long before, long messages) {
    if (isOpen || messages - before >= WORTHWHILE_MESSAGES) {
      return Lesson.WORTHWHILE;
    }
    return isMuch(messages) ? Lesson.LATE : Lesson.WASTED;
  }

  /**
   * What became of streams that were due to be offered at one time.
   *
   * @param worthwhile how many were {@linkplain Lesson#WORTHWHILE worth} their offer
   * @param late how many should have been offered sooner; also of those that ended before they were
   *     offered, and {@linkplain #isMuch had much}
   * @param wasted how many were not worth their offer
   */
  void learn(int worthwhile, int late, int wasted) {
    if (wasted > worthwhile + late) {
      ticks = Math.clamp(2L * ticks, FIRST, most);
    } else if (worthwhile + late > wasted) {
      int least = late > 0 ? NONE : Math.min(ticks, FIRST);
      ticks = Math.max(ticks / 2, least);
    }
  }
}
