package org.slipstream.rdma;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for what a device usually does within microseconds: it looks again at once for
 * a moment, and then sleeps between two looks, longer and longer. A path that loses everything
 * keeps its threads waiting until the device gives up, and they must not burn a processor each
 * meanwhile.
 */
final class Pause {
  /** Longer than a round trip of a network that works. */
  private static final long SPIN_NS = 100_000;

  private static final long SHORTEST_NS = 20_000;
  private static final long LONGEST_NS = 1_000_000;

  private Pause() {}

  /**
   * Waits a little, between two looks. Allocates nothing.
   *
   * @param began when the thread began to wait, by {@link System#nanoTime}
   */
  static void since(long began) {
    long waited = System.nanoTime() - began;
    if (waited < SPIN_NS) {
      Thread.yield();
      return;
    }
    boolean interrupted = Thread.interrupted(); // else the sleep would end at once, each time
    LockSupport.parkNanos(Math.clamp(waited / 4, SHORTEST_NS, LONGEST_NS));
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
