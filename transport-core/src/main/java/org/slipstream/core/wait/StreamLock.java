package org.slipstream.core.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock of one direction of a stream: reentrant, nearly always free, taken and given back for
 * each message.
 *
 * <p>{@link java.util.concurrent.locks.ReentrantLock} would do, but costs more than it must: it
 * stores the owner as a reference, for which a garbage collector that works in regions issues a
 * fence of its own. Here a message pays for one compare-and-set and one fence. Not fair: a thread
 * that comes by while the lock is free gets it. Fields are read and written as fields, and by their
 * handles only where that must be atomic: a young process interprets this, and there a handle costs
 * ten times as much.
 *
 * <p>Releasing is a volatile store, behind which the caller may look at what others have stored
 * before they looked at the lock: at waiters here, and at the end of the stream in {@code
 * Stream.releaseIfClosed} ({@code LockStress}, {@code CloseStress}). A waiter parks for {@value
 * #FIRST_PARK_NS} ns and then ever longer, up to a second: nothing depends on that.
 */
public final class StreamLock {
  private static final long NO_THREAD = 0; // identifiers of threads are positive
  private static final VarHandle OWNER;
  private static final VarHandle WAITING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OWNER = lookup.findVarHandle(StreamLock.class, "owner", long.class);
      WAITING = lookup.findVarHandle(StreamLock.class, "waiting", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Longer than a store takes to become visible. */
  private static final long FIRST_PARK_NS = 50_000;

  private static final long LONGEST_PARK_NS = 1_000_000_000;

  /** Identifier of the thread inside. Set by compare-and-set, cleared by its thread. */
  private volatile long owner;

  /** How often the thread inside has entered once more. Guarded by the lock. */
  private int reentries;

  /** How many threads are in {@link #waiters}, or about to be. Changed atomically by them. */
  private volatile int waiting;

  /** Threads that wait, oldest first. Any thread. */
  private final Queue<Thread> waiters = new ConcurrentLinkedQueue<>();

  /** Makes a lock that is free. */
  public StreamLock() {}

  /** Waits, however long it takes. An interrupt does not count. */
  public void lock() {
    if (!OWNER.compareAndSet(this, NO_THREAD, Thread.currentThread().threadId())) {
      lockSlowly(Long.MAX_VALUE);
    }
  }

  /**
   * Takes the lock if no other thread holds it.
   *
   * @return whether it was taken
   */
  public boolean tryLock() {
    long me = Thread.currentThread().threadId();
    return OWNER.compareAndSet(this, NO_THREAD, me) || reenter(me);
  }

  /**
   * Waits at most so long. An interrupt does not count.
   *
   * @param nanos how long; not positive = not at all
   * @return whether the lock was taken
   */
  public boolean tryLock(long nanos) {
    return tryLock() || lockSlowly(nanos);
  }

  /**
   * Gives the lock back, or ends one of several entries.
   *
   * @throws IllegalMonitorStateException the caller is not inside
   */
  public void unlock() {
    if (!isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException();
    }
    if (reentries > 0) {
      reentries--;
      return;
    }
    // A fence: the thread that gives the lock back looks next at whether the stream was closed
    // meanwhile,
    // and the thread that closes it, at whether the lock is free. One of the two has to see the
    // other.
    owner = NO_THREAD;
    if (waiting > 0) {
      LockSupport.unpark(waiters.peek());
    }
  }

  /**
   * Whether the caller is inside.
   *
   * @return true if it is
   */
  public boolean isHeldByCurrentThread() {
    return owner == Thread.currentThread().threadId();
  }

  /**
   * Whether a thread holds the lock; racy.
   *
   * @return true if one does
   */
  public boolean isLocked() {
    return owner != NO_THREAD;
  }

  private boolean reenter(long me) {
    if (owner != me) {
      return false;
    }
    reentries++;
    return true;
  }

  private boolean lockSlowly(long nanos) {
    Thread thread = Thread.currentThread();
    long me = thread.threadId();
    if (reenter(me)) {
      return true;
    }
    if (nanos <= 0) {
      return false;
    }
    long began = System.nanoTime();
    boolean interrupted = false;
    boolean taken;
    long park = FIRST_PARK_NS;
    waiters.add(thread);
    WAITING.getAndAdd(this, 1);
    VarHandle.fullFence();
    for (; ; ) {
      taken = OWNER.compareAndSet(this, NO_THREAD, me);
      long left = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - began);
      if (taken || left <= 0) {
        break;
      }
      LockSupport.parkNanos(this, Math.min(left, park));
      park = Math.min(2 * park, LONGEST_PARK_NS);
      interrupted |= Thread.interrupted();
    }
    waiters.remove(thread);
    WAITING.getAndAdd(this, -1);
    VarHandle.fullFence();
    if (!taken && !isLocked()) {
      LockSupport.unpark(waiters.peek()); // the waking that we got was meant for another waiter
    }
    if (interrupted) {
      thread.interrupt();
    }
    return taken;
  }
}
