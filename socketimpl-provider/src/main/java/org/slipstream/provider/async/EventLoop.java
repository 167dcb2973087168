package org.slipstream.provider.async;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.StreamObserver;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;

/**
 * The threads of a group around one of our selectors.
 *
 * <p>One worker leads: it selects, and calls the handlers of what it found itself, so that a
 * conversation stays on one thread and the selector's spinning pays. Handing the lead on before
 * each handler, as the JDK does, would cost a wake-up for each event. A leader that is still in the
 * same handler after a tick of the clock is deposed, and another worker leads; so a handler may
 * block as long as there is another thread.
 */
final class EventLoop {

  /** Something that is told what its key is ready for. */
  interface Pollable {
    /**
     * Goes on with what was waited for.
     *
     * @param readyOps what the selector said
     * @param mayInvokeDirect whether this is a thread on which handlers may run
     */
    void ready(int readyOps, boolean mayInvokeDirect);
  }

  /** One thread's part in the group. Fields without a comment are its own. */
  private final class Worker implements Consumer<SelectionKey> {
    final Thread thread = Thread.currentThread();
    final boolean pooled;

    /** Null if handlers may not run on this thread. */
    final Invoker.@Nullable Binding binding;

    boolean leads;

    /** How the lease looked when it was ours. */
    long lease;

    /** A thread wants it to leave the idle ones; any thread. */
    volatile boolean called;

    /** The first event of a selection; the rest may be taken by any thread. */
    @Nullable Pollable mine;

    int mineOps;
    int surplus;

    Worker(boolean pooled) {
      this.pooled = pooled;
      this.binding = pooled ? Invoker.bind(group) : null;
    }

    /** A key that the selector found ready. */
    @Override
    public void accept(SelectionKey key) {
      int ops;
      try {
        ops = key.readyOps();
      } catch (CancelledKeyException e) {
        return; // closed at this moment; its operations fail by themselves
      }
      Pollable target = (Pollable) key.attachment();
      if (mine == null) {
        mine = target;
        mineOps = ops;
      } else {
        ready.add(new Event(target, ops));
        surplus++;
      }
    }
  }

  private record Event(Pollable target, int readyOps) {}

  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  /** A handler that runs longer than one or two of these costs its thread the lead. */
  private static final long TICK_MS = 2;

  /** Between two looks whether a selection has ended. */
  private static final long FLUSH_NS = 20_000;

  // The lease: two flags and a count that every change increments.
  private static final long POLLING = 1;
  private static final long VACANT = 2;
  private static final long STEP = 4;

  private final Executor group;
  private final Selector selector;
  private final Pool pool;
  private final AtomicLong lease = new AtomicLong(VACANT);
  private final AtomicBoolean watching = new AtomicBoolean();
  private final AtomicInteger workers = new AtomicInteger();
  private final ConcurrentLinkedDeque<Worker> idle = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Event> ready = new ConcurrentLinkedQueue<>();

  /** Held during a selection. */
  private final ReentrantLock selecting = new ReentrantLock();

  /** Selections that have ended. Written under the lock. */
  private volatile long selections;

  /** The worker that leads; written by it. */
  private volatile @Nullable Worker leader;

  private volatile boolean terminated;

  /** Written by the leader; a hint. */
  private boolean alone;

  /** Timer thread only. */
  private long seen;

  EventLoop(Executor group, Selector selector, Pool pool) {
    this.group = group;
    this.selector = selector;
    this.pool = pool;
  }

  void start() {
    for (int i = 0; i < pool.size(); i++) {
      startPooled();
    }
    if (!pool.fixed()) {
      startInternal();
    }
  }

  private void startPooled() {
    workers.incrementAndGet();
    try {
      pool.executor().execute(() -> work(true));
    } catch (RejectedExecutionException e) {
      left();
    }
  }

  /** A pool that is not fixed may have no thread for us: this one finds events and hands on. */
  private void startInternal() {
    workers.incrementAndGet();
    Pool.daemon(() -> work(false)).start();
  }

  // -- for channels ----------------------------------------------------------------------------

  SelectionKey register(SelectableChannel channel, Pollable pollable) throws IOException {
    return channel.register(selector, 0, pollable);
  }

  /** The interest of a key grew: a sleeping leader must look. */
  void interestGrew(SelectionKey key) {
    if (!isLeader() && (lease.get() & POLLING) != 0) {
      if (key instanceof StreamObserver ours) {
        ours.streamChanged(); // does not cost a wake-up while the leader spins
      } else {
        selector.wakeup();
      }
    }
  }

  /**
   * Takes a key off its channel before that is closed: while a key is registered, the JDK keeps the
   * descriptor, and with it a listener's port. Waits for a selection under way, which it ends.
   */
  void deregister(SelectionKey key) {
    key.cancel();
    // A selection flushes when it begins and when it ends: two ends are enough, whatever the race.
    long enough = selections + 2;
    while (selections - enough < 0) {
      if (selecting.tryLock()) {
        try {
          selector.selectNow(ready -> {}); // what is ready stays ready for the leader
        } catch (ClosedSelectorException e) {
          return; // so no channel has a key any more
        } catch (IOException e) {
          LOG.log(Level.DEBUG, "Deregistering a channel", e);
        } finally {
          selecting.unlock();
        }
        return;
      }
      selector.wakeup();
      LockSupport.parkNanos(FLUSH_NS);
    }
  }

  /** Runs a task on a worker; fixed pools only. */
  void execute(Runnable task) {
    if (terminated && workers.get() == 0) {
      throw new RejectedExecutionException("The group has ended");
    }
    tasks.add(task);
    if ((lease.get() & POLLING) != 0) {
      selector.wakeup();
    } else if (!isLeader()) {
      callOne(); // a leader that is busy comes by itself, or is deposed
    }
  }

  /**
   * Whether the last selection found one event at most, so that no operation waits for this thread.
   */
  boolean isAlone() {
    return alone;
  }

  private boolean isLeader() {
    Worker l = leader;
    return l != null && l.thread.equals(Thread.currentThread());
  }

  void terminate() {
    terminated = true;
    selector.wakeup();
    for (Worker w : idle) {
      call(w);
    }
    if (workers.get() == 0) {
      closeSelector();
    }
  }

  // -- workers ---------------------------------------------------------------------------------

  private void work(boolean pooled) {
    Worker me = newWorker(pooled);
    boolean replace = true; // whatever a handler throws ends the thread, but not the group
    try {
      for (; ; ) {
        if (me.binding != null) {
          me.binding.unwound();
        }
        Thread.interrupted();
        if (runOne(me)) {
          continue;
        }
        if (terminated || !await(me)) {
          replace = false;
          return;
        }
      }
    } finally {
      try {
        resign(me);
        if (replace && !terminated) {
          replace(pooled);
        }
      } finally {
        left();
      }
    }
  }

  /** Its memory is waited for: the group has no thread to spare. */
  private Worker newWorker(boolean pooled) {
    for (; ; ) {
      try {
        return new Worker(pooled);
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  /** False if the selector is closed. */
  private boolean await(Worker me) {
    try {
      if (lead(me)) {
        return poll(me);
      }
      idle(me);
    } catch (OutOfMemoryError e) {
      // It is no handler's: what was ready is still, and the next selection says so.
      MemoryShortage.rest();
    }
    return true;
  }

  private void replace(boolean pooled) {
    for (int attempt = 1; ; attempt++) {
      try {
        if (pooled) {
          startPooled();
        } else {
          startInternal();
        }
        return;
      } catch (OutOfMemoryError e) {
        left(); // it was counted
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void left() {
    if (workers.decrementAndGet() == 0 && terminated) {
      closeSelector();
    }
  }

  private void closeSelector() {
    try {
      selector.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Closing the selector of a group", e);
    }
  }

  private boolean runOne(Worker me) {
    Pollable target = me.mine;
    if (target != null) {
      me.mine = null;
      target.ready(me.mineOps, me.pooled);
      return true;
    }
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
      return true;
    }
    Event event = ready.poll();
    if (event != null) {
      event.target.ready(event.readyOps, me.pooled);
      return true;
    }
    return false;
  }

  /** Selects once; false if the selector is closed. */
  private boolean poll(Worker me) {
    long polling = me.lease + STEP | POLLING;
    if (!lease.compareAndSet(me.lease, polling)) {
      me.leads = false; // deposed
      return true;
    }
    me.surplus = 0;
    try {
      // A thread that adds something either sees that we poll, or has added it before we look.
      if (tasks.isEmpty() && !terminated) {
        select(me);
      }
    } catch (ClosedSelectorException e) {
      return false;
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          MessageCode.ASYNCHRONOUS_SELECTOR.text("A selector of asynchronous channels failed"),
          e);
      return false;
    } finally {
      me.lease = (polling & ~POLLING) + STEP;
      lease.set(me.lease);
    }
    alone = me.surplus == 0;
    if (me.mine != null && (pool.size() > 1 || !pool.fixed())) {
      watch();
      if (me.surplus > 0) {
        callOne();
      }
    }
    return true;
  }

  private void select(Worker me) throws IOException {
    selecting.lock();
    try {
      selector.select(me);
      selections++;
    } finally {
      selecting.unlock();
    }
  }

  // -- the lead --------------------------------------------------------------------------------

  private boolean lead(Worker me) {
    if (me.leads) {
      return me.pooled || !handOver(me);
    }
    if (!me.pooled && !me.called && pool.size() > 0) {
      return false; // pooled workers first: they may call handlers
    }
    long now = lease.get();
    if ((now & VACANT) == 0 || !lease.compareAndSet(now, next(now))) {
      return false;
    }
    me.lease = next(now);
    me.leads = true;
    leader = me;
    return true;
  }

  private static long next(long lease) {
    return (lease & ~(POLLING | VACANT)) + STEP;
  }

  /** The internal worker leads only until one of the pool is free. */
  private boolean handOver(Worker me) {
    Worker other = idle.peekFirst();
    if (other == null || !other.pooled) {
      return false;
    }
    resign(me);
    callOne();
    return true;
  }

  private void resign(Worker me) {
    Pollable undone = me.mine;
    if (undone != null) {
      me.mine = null;
      try {
        ready.add(new Event(undone, me.mineOps));
      } catch (OutOfMemoryError e) {
        // The next selection says it again.
      }
    }
    if (me.leads) {
      me.leads = false;
      me.called = false;
      if (lease.compareAndSet(me.lease, next(me.lease) | VACANT)) {
        callOne();
      }
    }
  }

  private void idle(Worker me) {
    me.called = false;
    if (me.pooled) {
      idle.addFirst(me);
      Worker l = leader;
      if (l != null && !l.pooled) {
        selector.wakeup(); // it hands over
      }
    } else {
      idle.addLast(me);
    }
    while (!me.called && !terminated && !isWorkFor(me)) {
      LockSupport.park(this);
      Thread.interrupted();
    }
    idle.remove(me);
  }

  private boolean isWorkFor(Worker me) {
    return !tasks.isEmpty()
        || !ready.isEmpty()
        || ((lease.get() & VACANT) != 0 && (me.pooled || pool.size() == 0));
  }

  private boolean callOne() {
    Worker w = idle.pollFirst();
    if (w == null) {
      return false;
    }
    call(w);
    return true;
  }

  private static void call(Worker w) {
    w.called = true;
    LockSupport.unpark(w.thread);
  }

  // -- the watch -------------------------------------------------------------------------------

  private void watch() {
    if (!watching.get() && watching.compareAndSet(false, true)) {
      tickLater();
    }
  }

  private void tickLater() {
    try {
      Timer.later(this::tick, TICK_MS);
    } catch (OutOfMemoryError e) {
      watching.set(false); // the next event tries again
    }
  }

  /** On the timer thread, while events come: deposes a leader that is stuck in a handler. */
  private void tick() {
    long now = lease.get();
    if (now == seen) {
      if ((now & POLLING) != 0) {
        // Nothing happens. The thread that leaves the poll sees that we do not watch, or we see
        // that it
        // left.
        watching.set(false);
        if (lease.get() == now || !watching.compareAndSet(false, true)) {
          return;
        }
      } else if (!idle.isEmpty()
          && ((now & VACANT) != 0 || lease.compareAndSet(now, next(now) | VACANT))) {
        callOne();
      }
    }
    seen = now;
    if (terminated) {
      watching.set(false);
    } else {
      tickLater();
    }
  }
}
