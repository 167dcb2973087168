package org.slipstream.core.stream;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.wait.Spinner;

/**
 * What a sending direction does before a full ring: it looks on, sleeps until the peer's notice,
 * and spills over into the anchor in the end ({@link SpillRule}).
 *
 * <p>Guarded by the write lock, except where a member says otherwise.
 */
final class CreditWait implements Spinner.Condition {
  private final Stream stream;
  private final Outbound out;
  private final Spinner spinner;
  private final SpillRule rule = new SpillRule();

  /** The thread that sleeps, so that it can be woken. Written by it, under the lock. */
  private volatile @Nullable Thread sleeper;

  /** Since when not a byte was taken out of the full ring; 0 = it is not full. */
  private long starvedSince;

  CreditWait(Stream stream, Outbound out, Spinner spinner) {
    this.stream = stream;
    this.out = out;
    this.spinner = spinner;
  }

  /** The ring took all that there was, or is a new one. */
  void came() {
    starvedSince = 0;
  }

  /** Whether a direction that spilled over may begin another turn, if the peer has emptied it. */
  boolean mayReturn() {
    return rule.mayReturn(System.nanoTime());
  }

  /**
   * Waits until something has changed; in blocking mode as long as it takes.
   *
   * @param progress whether bytes went into the ring just now
   * @return false if a non-blocking write has to give up
   */
  boolean await(RingProducer producer, boolean blocking, boolean progress) throws IOException {
    long now = System.nanoTime();
    if (progress || starvedSince == 0) {
      starvedSince = now;
    }
    if (!blocking) {
      return !progress && spillIfStuck(producer, now);
    }
    if (spinner.spin(this) && !stream.scope().isInterrupted()) {
      return true;
    }
    sleep(producer);
    stream.state().checkOutputWhileBlocked();
    if (producer.space(1) > 0) {
      starvedSince = 0;
    } else {
      spillIfStuck(producer, System.nanoTime());
    }
    return true;
  }

  private void sleep(RingProducer producer) throws IOException {
    producer.wantCredit();
    boolean woken = false;
    sleeper = Thread.currentThread();
    InterruptScope scope = stream.scope();
    scope.begin();
    try {
      if (!met()) {
        scope.park(this, SpillRule.PATIENCE_NS);
      }
      woken = met();
    } finally {
      sleeper = null;
      scope.end(woken);
    }
    out.counters.wakeUps++;
    stream.host.waited(stream, false, spinner.slept());
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    StreamLink link = stream.link();
    return link == null
        || link.producer().space(1) > 0
        || Outbound.hasPeerClosed(link)
        || Outbound.mustGoHome(link)
        || !stream.isOpen()
        || stream.scope().isInterrupted();
  }

  /**
   * A selector has asked for a notice, and will sleep.
   *
   * @return nanoseconds until it should look again by itself; 0 if the direction left the ring
   */
  long arm(RingProducer producer) throws IOException {
    long now = System.nanoTime();
    if (starvedSince == 0) {
      starvedSince = now;
    }
    return spillIfStuck(producer, now)
        ? 0
        : Math.max(1, SpillRule.PATIENCE_NS - (now - starvedSince));
  }

  /** Returns true if the direction left the ring and the write can go on. */
  private boolean spillIfStuck(RingProducer producer, long now) throws IOException {
    StreamLink link = stream.link();
    if (link == null || producer.space(1) > 0 || Outbound.hasPeerClosed(link)) {
      return false;
    }
    long patience = rule.patience(producer.isTurnSeen());
    if (now - starvedSince < patience && !Outbound.mustGoHome(link)) {
      return false;
    }
    rule.spilled(producer.turnBytes(), now);
    out.leaveRing(link);
    return true;
  }

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    Thread thread = sleeper;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
