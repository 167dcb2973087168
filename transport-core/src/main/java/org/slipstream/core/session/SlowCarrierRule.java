package org.slipstream.core.session;

import java.util.concurrent.TimeUnit;

/**
 * Whether the streams to one peer leave their carrier because its answers take longer than those of
 * their TCP connections. Decides only; the caller tells the time.
 *
 * <pre>
 *   on the ring --- slow answers over a slow medium --> on trial over TCP
 *        ^                                                |        |
 *        |---- TCP is not faster: at once ----------------'        | TCP is faster
 *        '---- after a while, twice as long each time -------------'
 * </pre>
 *
 * Answers within {@link #SPIN_NS} are seen by a reader that spins, so TCP is no better. Beyond it
 * they are slow because of the medium, or because the peer's program takes its time, where TCP
 * would be no help. So the two media are compared: a round trip of this one with what the kernel
 * knows of one of the stream's TCP connection, neither of which has a program in it; or, where the
 * kernel does not tell, both the answers and the medium with what no healthy fabric has ({@link
 * #SLOW_NS}, {@link #SLOW_MEDIUM_NS}). That is what begins a trial; what decides it is how long the
 * same program's answers take over TCP. TCP is faster if it takes less than {@link #WORTH} of the
 * ring's time.
 */
final class SlowCarrierRule {
  /** The longest spin of the defaults. */
  static final long SPIN_NS = 100_000;

  /** Five times as long. */
  static final long SLOW_NS = 500_000;

  /** Twice the longest spin of the defaults. */
  static final long SLOW_MEDIUM_NS = 200_000;

  /** What a change is worth, in percent. */
  static final int WORTH = 80;

  /** How long the streams stay on TCP the first time, or on the ring after a needless trial. */
  static final long FIRST_HOLD_NS = TimeUnit.SECONDS.toNanos(10);

  static final long LAST_HOLD_NS = TimeUnit.MINUTES.toNanos(10);

  private long holdNs = FIRST_HOLD_NS;

  /** Median of the ring when the trial began; 0 = no trial, or it is decided. */
  private long ringNs;

  /** Until then the streams stay on TCP, if {@link #away}. */
  private long until;

  private boolean away;

  /** Until then there is no trial, if {@link #tried}. */
  private long nextTrial;

  private boolean tried;

  /**
   * Many answers came over the ring.
   *
   * @param medianNs how long they took
   * @param mediumNs a round trip of the medium, as it was measured lately; negative if it is not
   * @param tcpNs one of the TCP connection; negative if it is not known
   * @param now {@link System#nanoTime}
   * @return whether the streams have to try TCP
   */
  boolean leaves(long medianNs, long mediumNs, long tcpNs, long now) {
    boolean isSlow = medianNs >= SLOW_NS && mediumNs >= SLOW_MEDIUM_NS;
    boolean isSlower = medianNs > SPIN_NS && tcpNs > 0 && tcpNs < mediumNs * WORTH / 100;
    if ((!isSlow && !isSlower) || isAway(now)) {
      return false;
    }
    if (tried && now - nextTrial < 0) {
      return false;
    }
    ringNs = medianNs;
    away = true;
    until = now + holdNs;
    tried = true;
    nextTrial = until;
    return true;
  }

  /**
   * Many answers came over TCP, on trial or later.
   *
   * @param medianNs how long they took
   * @param now {@link System#nanoTime}
   */
  void overTcp(long medianNs, long now) {
    if (ringNs == 0 || !isAway(now)) {
      return;
    }
    boolean isFaster = medianNs < ringNs * WORTH / 100;
    if (!isFaster) {
      away = false; // and no other trial before the hold is over
    }
    ringNs = 0;
    holdNs = Math.min(2 * holdNs, LAST_HOLD_NS);
  }

  /**
   * Whether streams stay on TCP now.
   *
   * @param now {@link System#nanoTime}
   * @return false again when the hold is over
   */
  boolean isAway(long now) {
    away = away && now - until < 0;
    return away;
  }

  /** Whether nothing would be lost if the rule were forgotten. */
  boolean isIdle(long now) {
    return !isAway(now) && (!tried || now - nextTrial >= 0);
  }
}
