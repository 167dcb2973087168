package org.slipstream.core.doorbell;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryShortage;

/**
 * Futexes of this process and of its peers, and the thread that hears the TCP connections of
 * readers which sleep on one.
 *
 * <p>The first call of the kernel takes tens of milliseconds of processor time to prepare, so the
 * thread does that too, and is started only when the process has slept some times; until it is
 * ready, as where it never will be, doorbells go by TCP.
 */
public final class Futexes {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.doorbell");

  /** A process that sleeps less often would pay more for the linking than it gains. */
  private static final int SLEEPS_BEFORE = 100;

  /** Between two attempts of the watcher to get a descriptor. */
  private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  /** Between two looks at the end of the JVM; short, because its hooks may still use streams. */
  private static final long LEAVING_TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A signal may come before the watcher is in the kernel; so often it is sent again. */
  private static final int SIGNALS = 100;

  private static final long SIGNAL_AGAIN_NS = TimeUnit.MICROSECONDS.toNanos(100);

  /** That a process can open if it has a descriptor for it. */
  private static final Path ANY_FILE = Path.of("/dev/null");

  private final Descriptors descriptors;
  private final BooleanSupplier allowed;
  private final int after;

  /** Sleeps and rings that a futex could have served so far; counted up to {@link #after}. */
  private final AtomicInteger asked = new AtomicInteger();

  private final AtomicLong tokens = new AtomicLong();

  /** By writers. */
  private final LongAdder rung = new LongAdder();

  /** By the names that epoll reports. Any thread. */
  private final Map<Long, Sleeper> sleepers = new ConcurrentHashMap<>();

  /** The kernel lets us wake and sleep. Set once, by the watcher. */
  private volatile boolean ready;

  /** The JVM is about to end. Only set. */
  private volatile boolean leaving;

  /** The watcher's thread, while it is in the kernel or about to be; else 0 or less. Under this. */
  private long waiting;

  /** Null where no connection can be watched. Set and cleared once, by the watcher. */
  private volatile @Nullable Epoll epoll;

  Futexes(Descriptors descriptors) {
    this(descriptors, CLibrary::isAllowed, SLEEPS_BEFORE);
  }

  /**
   * Prepares nothing yet.
   *
   * @param descriptors of the JDK
   * @param allowed whether native access is: a futex must not be the cause of a warning of the JVM
   * @param after how many sleeps and rings the watcher is started
   */
  Futexes(Descriptors descriptors, BooleanSupplier allowed, int after) {
    this.descriptors = descriptors;
    this.allowed = allowed;
    this.after = after;
  }

  /** Whether this process may use futexes, as far as can be known without doing so. */
  boolean areAllowed() {
    return allowed.getAsBoolean();
  }

  private boolean isReady() {
    if (!ready && asked.get() < after && asked.incrementAndGet() == after) {
      start();
    }
    return ready;
  }

  private void start() {
    if (!areAllowed()) {
      return;
    }
    try {
      Thread watcher =
          Thread.ofPlatform()
              .daemon()
              .name("slipstream-watcher")
              .inheritInheritableThreadLocals(false)
              .unstarted(this::listen);
      watcher.setContextClassLoader(ClassLoader.getSystemClassLoader());
      watcher.start();
    } catch (OutOfMemoryError e) { // the system has no more threads
      failed(e);
    }
  }

  /** The thread that hears the TCP connections. */
  private void listen() {
    try {
      Epoll made = prepared();
      epoll = made;
      while (true) {
        try {
          await(made);
        } catch (OutOfMemoryError e) {
          tellAll(Sleeper::heard); // what the kernel has reported once it reports no more
        }
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      failed(e);
    } finally {
      epoll = null; // before the look at what is watched: see watch()
      tellAll(Sleeper::abandon);
    }
  }

  private Epoll prepared() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        awaitDescriptor();
        Futex.probe();
        ready = true;
        return openEpoll();
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** However long there is no memory for it: each may be asleep for ever. */
  private void tellAll(Consumer<Sleeper> what) {
    while (true) {
      try {
        sleepers.values().forEach(what);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  private void await(Epoll connections) throws IOException {
    if (leaving) {
      connections.await(false, this::heard);
      LockSupport.parkNanos(LEAVING_TICK_NS);
      return;
    }
    beInKernel(descriptors.thread());
    try {
      connections.await(!leaving, this::heard);
    } finally {
      beInKernel(0);
    }
  }

  private synchronized void beInKernel(long thread) {
    waiting = thread;
  }

  /**
   * The JVM is about to end. It waits up to 300 ms for threads that are inside the kernel, daemons
   * too; so the watcher only looks from now on, and sleeps outside of it. Any thread; blocks for
   * some milliseconds at most.
   */
  public void leave() {
    leaving = true;
    for (int i = 0; i < SIGNALS && signal(); i++) {
      LockSupport.parkNanos(SIGNAL_AGAIN_NS);
    }
  }

  /** Whether the watcher was, or may come to be, in the kernel. */
  private synchronized boolean signal() {
    if (waiting <= 0) {
      return false;
    }
    descriptors.signal(waiting);
    return true;
  }

  /**
   * Descriptors may be short for a while, and that is no end of futexes. But it would be one if the
   * JDK could not open a library of its own when the first function is linked: it tries once.
   */
  private static void awaitDescriptor() {
    for (boolean told = false; !hasDescriptor(); told = true) {
      if (!told) {
        failed(
            new IOException(
                "this process or the system has no descriptor left; raise the limit (ulimit -n)"));
      }
      LockSupport.parkNanos(AGAIN_NS);
    }
  }

  private static boolean hasDescriptor() {
    try {
      FileChannel.open(ANY_FILE, StandardOpenOption.READ).close();
      return true;
    } catch (NoSuchFileException | AccessDeniedException e) {
      return true; // it would have one for another file
    } catch (IOException e) {
      return false;
    }
  }

  private static Epoll openEpoll() throws IOException {
    Epoll made = Epoll.open();
    while (made == null) { // another thread was sooner
      awaitDescriptor();
      made = Epoll.open();
    }
    return made;
  }

  private void heard(long token) {
    Sleeper sleeper = sleepers.get(token);
    if (sleeper != null) {
      sleeper.heard();
    }
  }

  private static void failed(Throwable cause) {
    LOG.log(Level.DEBUG, () -> "Doorbells of blocked threads stay on TCP: " + cause.getMessage());
  }

  /**
   * Wakes the reader of a peer. By a writer, after a publish.
   *
   * @param word in the window of the peer
   * @return false if this process can not do it, or not yet
   */
  boolean ring(FutexWord word) {
    if (!isReady()) {
      return false;
    }
    word.increment();
    MemoryFaults.settle();
    rung.increment();
    return Futex.wake(word.address());
  }

  /**
   * How often this process has rung on the futex of a peer.
   *
   * @return not exact while it does
   */
  public long rung() {
    return rung.sum();
  }

  /**
   * Whether a thread that is about to sleep could do so on a futex; starts what is needed for it.
   *
   * @return false for now, or for ever
   */
  public boolean areReady() {
    return isReady() && epoll != null;
  }

  /**
   * Begins to watch a connection. By a reader of its stream.
   *
   * @param tcp of the JDK's own provider
   * @return null if it can not be watched
   */
  public @Nullable Sleeper watch(SocketChannel tcp) {
    Epoll watched = epoll;
    if (watched == null) {
      return null;
    }
    Long token = tokens.incrementAndGet();
    Sleeper sleeper = new Sleeper(descriptors, () -> sleepers.remove(token));
    sleepers.put(token, sleeper);
    // No other descriptor is ever changed or removed, whatever was closed meanwhile: a connection
    // that is open behind the call had that number during it. One that finds its number taken, by a
    // reader that came too late with an earlier connection, stays with doorbells on TCP.
    if (isAdded(watched, tcp, token) && tcp.isOpen()) {
      if (epoll == null) {
        sleeper.abandon();
      }
      return sleeper;
    }
    sleepers.remove(token);
    return null;
  }

  private boolean isAdded(Epoll watched, SocketChannel tcp, long token) {
    try {
      descriptors.isReadable(tcp); // what is asked later must be possible
      return watched.add(descriptors.number(tcp), token);
    } catch (IOException e) {
      failed(e);
      return false;
    }
  }

  /**
   * Whether a read of a connection would return at once. A system call.
   *
   * @param tcp of the JDK's own provider
   * @return false if it would wait
   * @throws IOException if the kernel can not be asked
   */
  public boolean isReadable(SocketChannel tcp) throws IOException {
    return descriptors.isReadable(tcp);
  }
}
