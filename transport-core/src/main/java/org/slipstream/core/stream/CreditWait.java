package org.slipstream.core.stream;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.wait.Spinner;

/**
 * What a sending direction does before a full ring: it looks on, sleeps until the peer's notice,
 * and finds in the end that the direction should fall back to TCP ({@link OverflowRule}).
 *
 * <p>Guarded by the write lock, except where a member says otherwise.
 */
final class CreditWait implements Spinner.Condition {
  /** What a writer does next. */
  enum Next {
    /** Look at the ring again. */
    RETRY,
    /** There is no space, and the caller must not wait. */
    GIVE_UP,
    /** Leave the ring, then go on. */
    OVERFLOW
  }

  private final StreamContext stream;
  private final Spinner spinner;
  private final DirectionCounters counters;
  private final OverflowRule rule = new OverflowRule();

  /** The thread that sleeps, so that it can be woken. Written by it, under the lock. */
  private volatile @Nullable Thread sleeper;

  /** Since when not a byte was taken out of the full ring; 0 = it is not full. */
  private long starvedSince;

  CreditWait(StreamContext stream, Spinner spinner, DirectionCounters counters) {
    this.stream = stream;
    this.spinner = spinner;
    this.counters = counters;
  }

  /** The ring took all that there was, or is a new one. */
  void came() {
    starvedSince = 0;
  }

  /**
   * Whether a direction that fell back to TCP from a full ring may begin another epoch, if the peer
   * has emptied it.
   */
  boolean mayReturn() {
    return rule.mayReturn(stream.clock.now());
  }

  /**
   * Waits until something has changed; in blocking mode as long as it takes.
   *
   * @param progress whether bytes went into the ring just now
   */
  Next await(StreamLink link, boolean blocking, boolean progress) throws IOException {
    long now = stream.clock.now();
    if (progress || starvedSince == 0) {
      starvedSince = now;
    }
    if (!blocking) {
      return !progress && isStuck(link, now) ? Next.OVERFLOW : Next.GIVE_UP;
    }
    if (spinner.spin(this) && !stream.scope.isInterrupted()) {
      return Next.RETRY;
    }
    RingProducer producer = link.producer();
    sleep(producer);
    stream.state.checkOutputWhileBlocked();
    if (producer.credit().space(1) > 0) {
      starvedSince = 0;
      return Next.RETRY;
    }
    return isStuck(link, stream.clock.now()) ? Next.OVERFLOW : Next.RETRY;
  }

  private void sleep(RingProducer producer) throws IOException {
    producer.credit().request();
    boolean woken = false;
    sleeper = Thread.currentThread();
    InterruptScope scope = stream.scope;
    scope.begin();
    try {
      if (!met()) {
        scope.park(this, OverflowRule.GRACE_NS);
      }
      woken = met();
    } finally {
      sleeper = null;
      scope.end(woken);
    }
    counters.wakeUps++;
    stream.signals.waited(false, spinner.slept());
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    StreamLink link = stream.link();
    return link == null
        || link.producer().credit().space(1) > 0
        || link.hasPeerClosed()
        || link.mustLeaveRing()
        || !stream.state.isOpen()
        || stream.scope.isInterrupted();
  }

  /**
   * A selector has asked for a notice, and will sleep.
   *
   * @return nanoseconds until it should look again by itself; 0 if the direction should leave the
   *     ring
   */
  long arm(StreamLink link) throws IOException {
    long now = stream.clock.now();
    if (starvedSince == 0) {
      starvedSince = now;
    }
    return isStuck(link, now) ? 0 : Math.max(1, OverflowRule.GRACE_NS - (now - starvedSince));
  }

  /** Whether the ring has been full for too long, or must be left anyway. */
  private boolean isStuck(StreamLink link, long now) throws IOException {
    RingProducer producer = link.producer();
    return producer.credit().space(1) <= 0
        && !link.hasPeerClosed()
        && (now - starvedSince >= rule.grace(producer.epochs().isSeen()) || link.mustLeaveRing());
  }

  /** The direction falls back to TCP. */
  void overflowed(StreamLink link) {
    rule.overflowed(link.producer().epochs().bytes(), stream.clock.now());
  }

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    Thread thread = sleeper;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
