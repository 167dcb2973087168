package org.slipstream.core.stream;

import java.util.Arrays;

/**
 * How long a peer takes to answer: from a write to the next bytes that are read, in windows of one
 * carrier. Only for streams whose medium has a round trip worth measuring, at the end that
 * connected. What is between the two in the program counts too: it is the same over either carrier.
 *
 * <p>The writer sets when it asked, the reader takes it; that is racy on purpose, and a lost sample
 * costs nothing. All else is the reader's, under its lock.
 */
final class AnswerTimes {
  /** Answers whose median is one measurement. */
  static final int WINDOW = 64;

  /** After a change of the carrier so many are not counted: it costs something itself. */
  static final int SETTLING = 8;

  private final long[] times = new long[WINDOW];
  private int count = -SETTLING;
  private boolean ring = true;

  /** When the first write since the last answer began; 0 = none. Both threads, racy. */
  private volatile long askedAt;

  /**
   * A write begins.
   *
   * @param now {@link System#nanoTime}
   */
  void asked(long now) {
    if (askedAt == 0) {
      askedAt = now == 0 ? 1 : now;
    }
  }

  /**
   * Bytes were read.
   *
   * @param now {@link System#nanoTime}
   * @param onRing whether both directions travel in the ring; both are on TCP otherwise
   * @return the median of a window that is full now, in nanoseconds; negative if there is none
   */
  long answered(long now, boolean onRing) {
    long asked = askedAt;
    if (asked == 0) {
      return -1;
    }
    askedAt = 0;
    if (onRing != ring) {
      ring = onRing;
      count = -SETTLING;
    }
    if (count >= 0) {
      times[count] = now - asked;
    }
    if (++count < WINDOW) {
      return -1;
    }
    count = 0;
    Arrays.sort(times);
    return times[WINDOW / 2];
  }

  /** What was asked is not worth an answer: the carrier is about to change. */
  void forget() {
    askedAt = 0;
  }
}
