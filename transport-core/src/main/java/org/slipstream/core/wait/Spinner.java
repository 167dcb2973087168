package org.slipstream.core.wait;

import java.io.IOException;
import org.slipstream.transport.OutOfLine;

/**
 * Decides how long one waiter looks before it arms and sleeps; learns from each wait.
 *
 * <p>Guarded by the lock under which its owner waits (read lock, write lock, or selector). Its
 * {@linkplain SpinBudget budget} grows when answers come soon and shrinks when they do not, so that
 * a stream with one exchange a second costs nothing and a ping-pong never sleeps.
 */
public final class Spinner {

  /** What is waited for. */
  @FunctionalInterface
  public interface Condition {
    /**
     * Looks.
     *
     * @return true if the wait is over, for good or ill
     * @throws IOException ends the wait
     */
    boolean met() throws IOException;
  }

  /** Polls before the clock is read for the first time. */
  private static final int FREE_POLLS = 48;

  /** Polls between two readings of the clock. */
  private static final int POLLS_PER_CLOCK = 16;

  /** Spinning without giving up the core, at most. */
  private static final long PURE_NS = 1_500;

  /** A caller that did something else for so long is sparse: its core had better be left alone. */
  private static final long SPARSE_NS = 300_000;

  /** A sparse caller may still catch a peer that answers at once. */
  private static final int SPARSE_BUDGET_NS = 15_000;

  /** Where cores are short, a sleeper is scheduled sooner than a thread that yielded for long. */
  private static final int CONTENDED_BUDGET_NS = 25_000;

  /** A spin that is a hit before its first yield says little about the neighbours. */
  private static final int SUCCESSES_PER_HIT = 16;

  private final LoadSensor sensor;
  private final WaitClock clock;
  private final int maxNs;
  private final SpinBudget budget;
  private int quickSuccesses;
  private boolean missed;

  /** This wait neither spun nor yielded. */
  private boolean waitsAsleep;

  private long spins;
  private long misses;
  private long startNs;

  /** When the last wait ended; 0 = just now, without a look at the clock. */
  private long endNs;

  /**
   * Makes a spinner.
   *
   * @param sensor of the process
   * @param maxNs the longest spin, in nanoseconds; 0 never spins
   */
  public Spinner(LoadSensor sensor, int maxNs) {
    this(sensor, maxNs, WaitClock.SYSTEM);
  }

  Spinner(LoadSensor sensor, int maxNs, WaitClock clock) {
    this.sensor = sensor;
    this.clock = clock;
    this.maxNs = maxNs;
    this.budget = new SpinBudget(maxNs);
  }

  /**
   * Looks until the condition is met or the budget is used up.
   *
   * @param condition what is waited for
   * @return true if it is met; false if the caller should arm and sleep, and call {@link #slept}
   *     then
   * @throws IOException from the condition
   */
  @OutOfLine
  public boolean spin(Condition condition) throws IOException {
    missed = false;
    if (budget.ns() == 0 || !sensor.maySpin()) {
      startNs = clock.now();
      waitsAsleep = !mayYield() || !sensor.turns().areWorthIt();
      return !waitsAsleep && takeTurn(condition);
    }
    waitsAsleep = false;
    if (!sensor.contended()) {
      for (int i = 0; i < FREE_POLLS; i++) {
        if (condition.met()) {
          if (i == 0) {
            ended(0); // there was nothing to wait for, and nothing to learn
          } else {
            succeeded(0, false);
          }
          return true;
        }
        Thread.onSpinWait();
      }
    }
    return spinByTheClock(condition);
  }

  /** A user may have forbidden it, and for a virtual thread a yield is a sleep. */
  private boolean mayYield() {
    return maxNs != 0 && !Thread.currentThread().isVirtual();
  }

  /** No spin; but the answer may come while another thread has the core. */
  private boolean takeTurn(Condition condition) throws IOException {
    clock.yieldCore();
    boolean met = condition.met();
    long now = clock.now();
    sensor.turns().taken(met, now - startNs, now);
    if (met) {
      spins++;
      learn(now);
    }
    return met;
  }

  private boolean spinByTheClock(Condition condition) throws IOException {
    long start = clock.now();
    startNs = start;
    boolean sparse = endNs != 0 && start - endNs > SPARSE_NS;
    long longest = sparse ? Math.min(budget.ns(), SPARSE_BUDGET_NS) : budget.ns();
    if (sensor.contended()) {
      longest = Math.min(longest, CONTENDED_BUDGET_NS);
    }
    long now = start;
    long pureUntil = sensor.contended() ? start : start + PURE_NS;
    while (now - pureUntil < 0) {
      for (int i = 0; i < POLLS_PER_CLOCK; i++) {
        if (condition.met()) {
          succeeded(0, false);
          return true;
        }
        Thread.onSpinWait();
      }
      now = clock.now();
    }
    if (Thread.currentThread().isVirtual()) {
      return spinOnCarrier(condition, start, Math.min(longest, maxNs));
    }
    while (now - start < longest) {
      if (condition.met()) {
        sensor.succeeded();
        succeeded(now, now - start > maxNs);
        return true;
      }
      long switches = ThreadSwitches.UNKNOWN;
      long before = now;
      if (sensor.isSuspicious(now)) {
        switches = sensor.switches();
        before = clock.now();
      }
      clock.yieldCore();
      now = clock.now();
      if (!sensor.yielded(now - before, now, switches)) {
        break;
      }
    }
    if (condition.met()) {
      succeeded(now, now - start > maxNs);
      return true;
    }
    missed = true;
    misses++;
    return false;
  }

  /**
   * A virtual thread does not yield: that would hand it to another carrier, which may have to be
   * woken first. So it keeps its carrier from all others, and may do so on half of them only, and
   * never for longer than the maximum: their work is what it waits for, often enough.
   */
  private boolean spinOnCarrier(Condition condition, long start, long longest) throws IOException {
    if (!sensor.tryOccupyCarrier()) {
      return false; // neither hit nor miss: nothing was learnt about the peer
    }
    try {
      do {
        for (int i = 0; i < POLLS_PER_CLOCK; i++) {
          if (condition.met()) {
            succeeded(0, false);
            return true;
          }
          Thread.onSpinWait();
        }
      } while (clock.now() - start < longest);
    } finally {
      sensor.releaseCarrier();
    }
    missed = true;
    misses++;
    return false;
  }

  /**
   * Waits that ended while polling; any thread, racy.
   *
   * @return the count
   */
  public long spins() {
    return spins;
  }

  /**
   * Looks that were given up because the budget was used up; any thread, racy.
   *
   * @return the count
   */
  public long misses() {
    return misses;
  }

  private void ended(long now) {
    spins++;
    endNs = now;
  }

  private void succeeded(long now, boolean late) {
    ended(now);
    if (++quickSuccesses >= SUCCESSES_PER_HIT) {
      quickSuccesses = 0;
      sensor.succeeded();
    }
    budget.hit(late);
  }

  /**
   * The wait that began with {@link #spin} ended while the caller armed: neither was the spin long
   * enough, nor did the thread sleep. Over a network arming takes a round trip, so answers come in
   * it all the time; a spinner that did not hear of them would take its caller for a sparse one.
   */
  public void caught() {
    learn(clock.now());
  }

  /** The wait is over, and was no spin. */
  private void learn(long now) {
    boolean sparse = endNs != 0 && startNs - endNs > SPARSE_NS;
    endNs = now;
    budget.slept(sparse ? Long.MAX_VALUE : now - startNs);
  }

  /**
   * The wait that began with {@link #spin} ended after a sleep; learns from its length.
   *
   * @return how long the wait was, in nanoseconds
   */
  public long slept() {
    long now = clock.now();
    long waited = now - startNs;
    if (missed) {
      budget.miss();
    }
    if (waitsAsleep) {
      sensor.turns().slept(waited);
    }
    learn(now);
    return waited;
  }
}
