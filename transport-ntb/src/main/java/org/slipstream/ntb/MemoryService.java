package org.slipstream.ntb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryShortage;

/**
 * The one thread of an owner of memory that carries out what peers ask for, on all lanes of all
 * sessions. It starts with the first lane. It looks at all of them in turn while there is something
 * to do, and for a moment after that; then it arms each, looks once more, and sleeps until a peer
 * wakes it.
 */
final class MemoryService implements AutoCloseable {
  /** It goes on looking for so long: a sleep and a wake-up cost about as much. */
  private static final long SPIN_NS = 50_000;

  /** Polls that miss, after which a processor is offered: a client on this host may need it. */
  private static final int LOOKS = 64;

  /** A request that has not arrived whole is looked for so often. */
  private static final long PENDING_NS = 200_000;

  private final ConcurrentLinkedQueue<OwnerLane> added = new ConcurrentLinkedQueue<>();

  /** The thread's. */
  private final List<OwnerLane> lanes = new ArrayList<>();

  /** Written under the monitor. */
  private volatile @Nullable Thread thread;

  private volatile boolean closed;

  /** Serves a lane from now on, until it has ended. Any thread. */
  synchronized void add(OwnerLane lane) {
    if (closed) {
      lane.end();
      lane.released();
      return;
    }
    added.add(lane);
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name("slipstream-ntb-memory").start(this::run);
    } else {
      wake();
    }
  }

  /** A lane may have something to do, or have ended. Any thread; cheap. */
  void wake() {
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!closed) {
      try {
        serveAll();
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(); // other lanes go on
      }
    }
    takeAdded();
    lanes.forEach(OwnerLane::end);
    dropEnded();
  }

  private void serveAll() {
    long worked = System.nanoTime();
    int misses = 0;
    while (!closed) {
      takeAdded();
      if (serve()) {
        worked = System.nanoTime();
      } else if (System.nanoTime() - worked < SPIN_NS) {
        if (++misses % LOOKS == 0) {
          Thread.yield();
        } else {
          Thread.onSpinWait();
        }
      } else if (arm()) {
        LockSupport.park(this);
      } else if (isPending()) {
        LockSupport.parkNanos(this, PENDING_NS);
      }
    }
  }

  private void takeAdded() {
    OwnerLane lane;
    while ((lane = added.peek()) != null) {
      lanes.add(lane); // first: there may be no memory for it
      added.remove();
    }
    dropEnded();
  }

  private void dropEnded() {
    for (int i = lanes.size() - 1; i >= 0; i--) {
      if (lanes.get(i).isEnded()) {
        lanes.remove(i).released();
      }
    }
  }

  private boolean serve() {
    boolean any = false;
    for (int i = 0; i < lanes.size(); i++) {
      any |= lanes.get(i).serve();
    }
    return any;
  }

  /** Whether all will wake us, and none has anything for us now. */
  private boolean arm() {
    boolean quiet = true;
    for (int i = 0; i < lanes.size(); i++) {
      quiet &= lanes.get(i).arm();
    }
    return quiet && added.isEmpty();
  }

  private boolean isPending() {
    for (int i = 0; i < lanes.size(); i++) {
      if (lanes.get(i).isPending()) {
        return true;
      }
    }
    return false;
  }

  /** Lets go of all lanes, soon. Any thread. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    wake();
  }
}
