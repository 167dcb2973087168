package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Reactor;

/**
 * The one daemon thread of all sessions of a process. It never blocks but in its own select, and an
 * idle process leaves it asleep with no timer.
 */
public final class ControlThread implements Reactor {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.control");

  /** Between two looks at the end of the JVM; short, because other hooks may still use streams. */
  private static final long LEAVING_TICK_NS = 1_000_000;

  private record Timer(long dueNanos, Runnable task) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      return Long.signum(dueNanos - other.dueNanos);
    }
  }

  /** A class and no lambda: each costs the first socket of a program a part of a millisecond. */
  private final class Loop implements Runnable {
    @Override
    public void run() {
      ControlThread.this.run();
    }
  }

  private final Selector selector;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean awake = new AtomicBoolean();

  /** Only on the thread. */
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();

  /** The selector may have forgotten keys. Only on the thread. */
  private boolean forgetful;

  private volatile boolean stopped;

  /** The JVM is on its way down. */
  private volatile boolean leaving;

  /**
   * Makes the thread; {@link #start} starts it.
   *
   * @param selector of the JDK's default provider
   */
  public ControlThread(Selector selector) {
    this(selector, "slipstream-control");
  }

  /**
   * As the other one.
   *
   * @param selector of the JDK's default provider
   * @param name of the thread
   */
  public ControlThread(Selector selector, String name) {
    this.selector = selector;
    this.thread = new Thread(new Loop(), name);
    this.thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @throws OutOfMemoryError if the system has no more threads; then its selector is closed
   */
  public void start() {
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // the system has no more threads
      close();
      throw e;
    }
  }

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler)
      throws IOException {
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, ops, handler);
    wakeup();
    return key;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    wakeup();
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    long due = System.nanoTime() + delayNanos;
    if (inReactor()) {
      timers.add(new Timer(due, task));
    } else {
      execute(() -> timers.add(new Timer(due, task)));
    }
  }

  @Override
  public boolean inReactor() {
    return thread.equals(Thread.currentThread());
  }

  private void wakeup() {
    if (!inReactor() && awake.compareAndSet(false, true)) {
      selector.wakeup();
    }
  }

  /**
   * Ends the thread and closes its channels. Waits until it has ended, but not for ever.
   *
   * @throws InterruptedException while waiting
   */
  public void stop() throws InterruptedException {
    stopped = true;
    selector.wakeup();
    thread.join(1_000);
  }

  /**
   * The JVM is about to end. It waits up to 300 ms for threads that are inside the kernel, daemons
   * too; so the thread only looks from now on, and sleeps outside of it.
   */
  public void leave() {
    leaving = true;
    selector.wakeup();
  }

  private void run() {
    MemoryShortage.prepare();
    while (!stopped) {
      try {
        turn();
      } catch (RuntimeException | Error unsaid) { // without memory not even a warning can be made
        MemoryShortage.rest();
      }
    }
    for (SelectionKey key : new ArrayList<>(selector.keys())) {
      fail(key, new IOException("The process leaves"));
    }
    close();
  }

  private void close() {
    try {
      selector.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Closing the control selector", e);
    }
  }

  private void turn() {
    try {
      select(nextTimeout());
      runReady();
      runTasks();
      runTimers();
    } catch (IOException | RuntimeException | Error e) {
      warn("The control thread goes on after a failure", e);
    }
  }

  private void select(long timeout) throws IOException {
    if (forgetful) {
      remind();
      forgetful = false;
    }
    try {
      await(timeout);
    } catch (OutOfMemoryError e) {
      forgetful = true;
      throw e;
    } finally {
      awake.set(false);
    }
  }

  /**
   * A selector of the JDK takes a key off its list of changes before it asks the kernel, and if
   * there is no memory for what lies between, that key is never ready.
   */
  private void remind() {
    for (SelectionKey key : selector.keys()) {
      if (key.isValid()) {
        key.interestOpsOr(key.interestOpsAnd(0)); // other threads may add to it meanwhile
      }
    }
  }

  private void await(long timeout) throws IOException {
    if (leaving) {
      if (selector.selectNow() == 0 && timeout != 0) {
        LockSupport.parkNanos(LEAVING_TICK_NS);
      }
    } else if (timeout < 0) {
      selector.select();
    } else if (timeout == 0) {
      selector.selectNow();
    } else {
      selector.select(timeout);
    }
  }

  /** Milliseconds; -1 without a timer. */
  private long nextTimeout() {
    if (!tasks.isEmpty()) {
      return 0;
    }
    Timer next = timers.peek();
    if (next == null) {
      return -1;
    }
    long left = next.dueNanos - System.nanoTime();
    return left <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(left + 999_999);
  }

  private void runReady() {
    for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
      SelectionKey key = keys.next();
      keys.remove();
      try {
        ((Handler) key.attachment()).ready(key);
      } catch (CancelledKeyException e) {
        LOG.log(Level.DEBUG, "A channel was closed meanwhile", e);
      } catch (IOException | RuntimeException | Error e) {
        // InternalError: a peer truncated memory that it shares with us. Any Error: without
        // descriptors the JDK fails to load what a log line needs.
        fail(key, e);
      }
    }
  }

  /** However long there is no memory for it: streams wait to hear of the failure. */
  private void fail(SelectionKey key, Throwable cause) {
    while (true) {
      try {
        key.cancel();
        close(key.channel());
        ((Handler) key.attachment()).failed(cause);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  /**
   * The JDK closes no descriptor if there is no memory for it, and does not try again: so the peer
   * is told first.
   */
  private static void close(SelectableChannel channel) {
    try (channel) {
      if (channel instanceof SocketChannel connection && connection.isConnected()) {
        connection.shutdownOutput();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Closing a channel that failed", e);
    }
  }

  private void runTasks() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      runOne(task);
    }
  }

  private void runTimers() {
    Timer next;
    while ((next = timers.peek()) != null && next.dueNanos - System.nanoTime() <= 0) {
      timers.remove();
      runOne(next.task);
    }
  }

  private static void runOne(Runnable task) {
    try {
      outlast(task);
    } catch (RuntimeException | Error e) {
      warn("A control task failed", e);
    }
  }

  /** A task for which there is no memory runs again, from its beginning. */
  private static void outlast(Runnable task) {
    for (int attempt = 1; ; attempt++) {
      try {
        task.run();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** A process that can not even log still needs this thread. */
  static void warn(String what, Throwable cause) {
    try {
      LOG.log(Level.WARNING, MessageCode.CONTROL_TASK.text(what), cause);
    } catch (RuntimeException | Error unsaid) {
      return; // nor suppressed: without memory that would throw, and end the thread
    }
  }
}
