package org.slipstream.core.doorbell;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;

/**
 * The place of one stream where its blocked reader sleeps: a platform thread on a futex ({@code
 * docs/models/futex.pml}), a virtual thread parked ({@code docs/models/park.pml}). The first, under
 * the read lock of the stream:
 *
 * <ol>
 *   <li>{@link #begin}: says where it will sleep, and loads the word;
 *   <li>arms, and looks at everything that may end its sleep: ring, {@link #events}, its own state;
 *   <li>{@link #sleep}: the kernel puts it to sleep only if the word has not changed since.
 * </ol>
 *
 * <p>All others change what the reader looks at first, and then increment the word.
 *
 * <p>A virtual thread calls {@link #beginParked}, arms and looks likewise, at {@link #hasRung} too,
 * and then parks: an unpark that comes before that ends it at once.
 */
public final class Sleeper {
  private final Futex.Scratch scratch = new Futex.Scratch();

  /** News of the TCP connection so far. By the watcher. */
  private final AtomicInteger events = new AtomicInteger();

  private final Descriptors jdk;
  private final Runnable onClose;

  /** In whose word the reader sleeps, or will; null: awake. By the reader. */
  private volatile @Nullable FutexWord window;

  /** The kernel has refused, or no thread watches the TCP connection any more. Only set. */
  private volatile boolean unusable;

  /** The virtual thread that parks, or will; null: none. By the reader. */
  private volatile @Nullable Thread parking;

  /** The number of the arming that a peer has rung for; 0: none since it was taken. */
  private final AtomicInteger rungFor = new AtomicInteger();

  /** The thread that sleeps in the kernel, or is about to; 0: none. By the reader, under this. */
  private long thread;

  /**
   * Makes one, which no thread wakes for news of a TCP connection yet.
   *
   * @param jdk signals the thread that sleeps
   * @param onClose when the stream is closed
   */
  public Sleeper(Descriptors jdk, Runnable onClose) {
    this.jdk = jdk;
    this.onClose = onClose;
  }

  /**
   * Whether a reader may sleep here.
   *
   * @return false from some moment on
   */
  public boolean isUsable() {
    return !unusable;
  }

  /**
   * The reader is about to sleep.
   *
   * @param word of our own window
   * @return its value
   */
  public int begin(FutexWord word) {
    window = word; // volatile, and so before the looks of the caller
    return word.load();
  }

  /** As {@link #begin}, for a virtual thread. */
  public void beginParked() {
    parking = Thread.currentThread(); // volatile, and so before the looks of the caller
  }

  /**
   * Which arming a peer has rung for.
   *
   * @return its number, once; 0 = none
   */
  public int takeRung() {
    return rungFor.getAndSet(0);
  }

  /**
   * Whether {@link #takeRung} would return a number.
   *
   * @return then the reader must not park
   */
  public boolean hasRung() {
    return rungFor.get() != 0;
  }

  /**
   * Parks the virtual thread; may return for no reason.
   *
   * @param nanos how long at most; 0 = for ever
   */
  public void park(long nanos) {
    if (nanos == 0) {
      LockSupport.park(this); // without a timer, which costs as much as the wake-up
    } else {
      LockSupport.parkNanos(this, nanos);
    }
  }

  /** A peer has rung. Reactor. */
  void rung(int arming) {
    rungFor.set(arming);
    unpark();
  }

  private void unpark() {
    Thread thread = parking;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * How much news of the TCP connection there was.
   *
   * @return a count that wraps round
   */
  public int events() {
    return events.get();
  }

  /**
   * Sleeps, unless the word has changed; may return for no reason.
   *
   * @param word as given to {@link #begin}
   * @param value from there
   * @param nanos how long at most
   */
  public void sleep(FutexWord word, int value, long nanos) {
    beInKernel(jdk.thread());
    try {
      if (!Futex.sleep(word.address(), value, nanos, scratch)) {
        unusable = true;
      }
    } finally {
      beInKernel(0);
    }
  }

  private synchronized void beInKernel(long named) {
    thread = named;
  }

  /** The reader is awake. */
  public void end() {
    window = null;
    parking = null;
  }

  /** The reader should look at its own state again. Any thread, after a change of that. */
  public void wake() {
    unpark();
    FutexWord word = window;
    if (word == null) {
      return; // it has not looked yet
    }
    try {
      word.increment();
      MemoryFaults.settle();
      Futex.wake(word.address());
    } catch (IllegalStateException | InternalError e) {
      // Unmapped: no thread sleeps there. Or the peer has truncated the file: see below.
    }
    signal();
  }

  /**
   * By the word the kernel finds no thread that fell asleep before the file was truncated, and none
   * that a hostile peer has moved to another word. A signal finds it wherever it sleeps. One that
   * is only about to sleep is not let: the word has changed, or is gone.
   */
  private synchronized void signal() {
    if (thread > 0) { // has not ended, as it has yet to come out of the kernel and get this monitor
      jdk.signal(thread);
    }
  }

  /** The TCP connection has news. Watcher. */
  void heard() {
    events.incrementAndGet();
    wake();
  }

  /** The TCP connection is not watched any more. Watcher. */
  void abandon() {
    unusable = true;
    heard();
  }

  /** The stream is closed. Any thread. */
  public void close() {
    onClose.run();
    wake();
  }
}
