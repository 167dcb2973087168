package org.slipstream.core.wait;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the process has learnt about the load of the machine: does a {@link Thread#yield} hand the
 * core to a thread that computes?
 *
 * <p>Shared by all waiters. All plain fields are racy on purpose: a lost update makes the answer a
 * little older, never wrong for long. The rule and its figures were measured: {@code
 * docs/WAITING.md}.
 */
public final class LoadSensor {
  /** A yield longer than this handed a whole time slice to a thread that computes. */
  private static final long LONG_YIELD_NS = 100_000;

  /** A yield longer than this ran another thread for a moment: cores are short. */
  private static final long BUSY_YIELD_NS = 2_500;

  /**
   * In an emulated machine or a sandbox a yield takes as long that ran no other thread. So it has
   * to be longer than so many of the shortest one, too.
   */
  private static final int BUSY_SHORTEST = 4;

  /** Where no yield was shorter than a quarter of this, a peer on the same core is the reason. */
  private static final long MOST_BUSY_YIELD_NS = 8_000;

  /**
   * One such yield weighs as much as so many short ones. An interrupt, or a host that takes the
   * core away for a moment, makes one of twenty yields longer on a machine that is not short of
   * cores; a peer on the same core makes nearly all of them longer.
   */
  private static final int BUSY_WEIGHT = 4;

  /** From here on cores are short, until the weight is gone. */
  private static final int CONTENDED_WEIGHT = 2 * BUSY_WEIGHT;

  /** So many short yields in a row, at most, mean that the core is free again. */
  private static final int MOST_WEIGHT = 32;

  /** One long yield may be an accident; the second one within this time is a neighbour. */
  private static final long ACCIDENT_NS = 20_000_000;

  /**
   * No wait spins for so long after long yields; doubled while they stay long. Time, and not a
   * number of waits: a process that hardly waits would otherwise never find out that the neighbour,
   * often its own compiler, has gone.
   */
  static final long MIN_PAUSE_NS = 2_000_000;

  static final long MAX_PAUSE_NS = 128_000_000;

  /** So many hits make the next back-off shorter. */
  private static final int FORGIVE_AFTER = 64;

  private final boolean manyCores;

  /** So many virtual threads may keep their carriers while they look. */
  private final int carriersToSpinOn;

  /** Those that do so now; any of them counts itself. */
  private final AtomicInteger spinningCarriers = new AtomicInteger();

  private final WaitClock clock;
  private final Turns turns;
  private boolean contended;

  /** The shortest yield so far, and what it makes a busy one. */
  private long shortestYield = Long.MAX_VALUE;

  private long busyYield = BUSY_YIELD_NS;

  /** Of the busy yields, which the short ones take away again. */
  private int weight;

  /** Null until a pause began, and perhaps for ever. Written by any thread. */
  private volatile @Nullable ThreadSwitches switches;

  /** Asked for a count when pauses begin. */
  private final Runnable countWanted;

  private int pauses;
  private boolean paused;
  private long pausedUntil;
  private long pause = MIN_PAUSE_NS;
  private int hits;
  private long lastLongYield;

  /**
   * Makes a sensor.
   *
   * @param cores how many cores the process may use; with one, spinning can never pay
   */
  public LoadSensor(int cores) {
    this(cores, () -> {});
  }

  /**
   * Makes a sensor.
   *
   * @param cores how many cores the process may use; with one, spinning can never pay
   * @param countWanted run by a thread that waits, rarely: a {@linkplain #countBy count} would help
   */
  public LoadSensor(int cores, Runnable countWanted) {
    this(cores, countWanted, WaitClock.SYSTEM);
  }

  LoadSensor(int cores, Runnable countWanted, WaitClock clock) {
    this.countWanted = countWanted;
    this.clock = clock;
    this.turns = new Turns(clock.now());
    this.manyCores = cores > 1;
    this.carriersToSpinOn = Math.max(1, cores / 2);
    this.lastLongYield = clock.now() - ACCIDENT_NS;
  }

  /** What yields of waiters that do not spin are worth. */
  Turns turns() {
    return turns;
  }

  /**
   * From now on long yields are told apart by whether another thread got the core. Any thread.
   *
   * @param count of the kernel
   */
  public void countBy(ThreadSwitches count) {
    switches = count;
  }

  /** Whether this wait may spin at all. */
  boolean maySpin() {
    return manyCores && (!paused || maySpinAt(clock.now()));
  }

  /** Whether a pause is over. */
  boolean maySpinAt(long now) {
    if (paused && now - pausedUntil < 0) {
      return false;
    }
    paused = false;
    return true;
  }

  /** Whether pure spinning is pointless because the peer probably needs this very core. */
  boolean contended() {
    return contended;
  }

  /**
   * Before a yield: whether it should be counted what other threads get of this thread's core,
   * because a yield has been long a moment ago.
   */
  boolean isSuspicious(long now) {
    return now - lastLongYield < ACCIDENT_NS && switches != null;
  }

  /** As {@link ThreadSwitches#ofThisThread}. */
  long switches() {
    ThreadSwitches count = switches;
    return count == null ? ThreadSwitches.UNKNOWN : count.ofThisThread();
  }

  /**
   * A yield took so long.
   *
   * @param switchesBefore {@link #switches} before it
   * @return false if spinning must stop now
   */
  boolean yielded(long nanos, long now, long switchesBefore) {
    if (nanos > LONG_YIELD_NS) {
      boolean again = now - lastLongYield < ACCIDENT_NS;
      lastLongYield = now;
      if (again && mayHaveRunAnother(switchesBefore)) {
        pause(now);
      }
      return false;
    }
    if (nanos < shortestYield) {
      shortestYield = nanos;
      busyYield = Math.clamp(BUSY_SHORTEST * nanos, BUSY_YIELD_NS, MOST_BUSY_YIELD_NS);
    }
    if (nanos > busyYield) {
      weight = Math.min(MOST_WEIGHT, weight + BUSY_WEIGHT);
      if (weight >= CONTENDED_WEIGHT) {
        contended = true;
      }
    } else if (weight > 0 && --weight == 0) {
      contended = false;
    }
    return true;
  }

  /** Whether another thread may have had this thread's core since then. */
  private boolean mayHaveRunAnother(long switchesBefore) {
    return switchesBefore == ThreadSwitches.UNKNOWN || switchesBefore != switches();
  }

  private void pause(long now) {
    pausedUntil = now + pause;
    paused = true;
    pause = Math.min(MAX_PAUSE_NS, pause * 2);
    if (switches == null && Integer.bitCount(++pauses) == 1) {
      countWanted.run();
    }
  }

  /**
   * A virtual thread is about to look for long without leaving its carrier.
   *
   * @return false if so many do that already that the others would have no carrier to run on; if
   *     true, {@link #releaseCarrier} follows
   */
  boolean tryOccupyCarrier() {
    if (spinningCarriers.incrementAndGet() <= carriersToSpinOn) {
      return true;
    }
    spinningCarriers.decrementAndGet();
    return false;
  }

  /** It looks no longer. */
  void releaseCarrier() {
    spinningCarriers.decrementAndGet();
  }

  /** A spin that yielded was a hit. */
  void succeeded() {
    if (++hits >= FORGIVE_AFTER) {
      hits = 0;
      pause = Math.max(MIN_PAUSE_NS, pause / 2);
    }
  }
}
