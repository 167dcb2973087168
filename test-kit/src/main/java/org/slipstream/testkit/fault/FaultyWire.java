package org.slipstream.testkit.fault;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * What the posted links of one transport share: chance, and the time that stores are on their way.
 * Any thread.
 */
final class FaultyWire {
  private static final int LONGEST_FLIGHT_NS = 200_000;

  private final Faults faults;
  private final SplittableRandom random; // guarded by itself

  /** How the stores of a link arrive, by its own window: each end of a link finds the other. */
  private final Map<Place, Runnable> arrivals = new ConcurrentHashMap<>();

  private final LinkedBlockingQueue<Runnable> onTheWay = new LinkedBlockingQueue<>();

  /** What every store takes. Written by a test. */
  private volatile long slowNanos;

  FaultyWire(Faults faults, long seed) {
    this.faults = faults;
    this.random = new SplittableRandom(seed);
    if (faults.posted()) {
      Thread.ofPlatform().daemon().name("faulty-wire").start(this::carry);
    }
  }

  /** What was posted arrives at last, also if the writer posts nothing behind it. */
  private void carry() {
    SplittableRandom own = split();
    try {
      for (; ; ) {
        Runnable arrival = onTheWay.take();
        LockSupport.parkNanos(own.nextInt(LONGEST_FLIGHT_NS));
        arrival.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  SplittableRandom split() {
    synchronized (random) {
      return random.split();
    }
  }

  void slowDown(long nanos) {
    slowNanos = nanos;
  }

  long slowNanos() {
    return slowNanos;
  }

  Faults faults() {
    return faults;
  }

  /** Stores are on their way: they arrive a while later. */
  void posted(Runnable arrival) {
    onTheWay.add(arrival);
  }

  void join(Place window, Runnable arrival) {
    arrivals.put(window, arrival);
  }

  void leave(Place window, Runnable arrival) {
    arrivals.remove(window, arrival);
  }

  /** What the owner of a window has posted is there now. */
  void arriveFrom(Place window) {
    Runnable arrival = arrivals.get(window);
    if (arrival != null) {
      arrival.run();
    }
  }
}
