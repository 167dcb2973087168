package org.slipstream.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;

/**
 * Waits for file descriptors that Java does not know: poll(2), with an eventfd(2) to wake it. One
 * thread waits; any thread wakes it.
 *
 * <pre>
 *   struct pollfd
 *    0         4      6       8
 *   +---------+------+-------+
 *   |   fd    |events|revents|
 *   +---------+------+-------+
 * </pre>
 */
public final class Poller {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  static final int ENTRY_BYTES = 8;
  static final int ENTRY_EVENTS = 4;
  static final int ENTRY_RETURNED = 6;
  static final short READABLE = 1;

  private static final NativeLibrary C = NativeLibrary.c();
  private static final Call POLL = Call.of(C, "poll");
  private static final Call EVENT_DESCRIPTOR = Call.of(C, "eventfd");
  private static final Call READ_EVENT = Call.of(C, "eventfd_read");
  private static final Call WRITE_EVENT = Call.of(C, "eventfd_write");
  private static final Call CLOSE = Call.of(C, "close");
  private static final Call CONTROL = Call.of(C, "fcntl");
  static final int GET_FLAGS = 3;
  static final int SET_FLAGS = 4;
  static final int NONBLOCKING = 0x800;
  static final int NONBLOCKING_CLOSE_ON_EXEC = 0x80800;

  /** Two, in case a program closes descriptors that are not its own: the other one still wakes. */
  private final AtomicIntegerArray wakes = new AtomicIntegerArray(2);

  private final AtomicBoolean awake = new AtomicBoolean();

  /** In the order of the entries behind the first. */
  private final List<Source> sources = new ArrayList<>();

  private record Source(int descriptor, Runnable handler) {}

  /**
   * Makes one that waits for nothing but {@link #wakeup}.
   *
   * @throws IOException without descriptors
   */
  public Poller() throws IOException {
    for (int i = 0; i < wakes.length(); i++) {
      wakes.set(i, EVENT_DESCRIPTOR.countOf(0, NONBLOCKING_CLOSE_ON_EXEC));
    }
  }

  /**
   * Whether a descriptor can be read, or is broken, at this moment.
   *
   * @param descriptor any
   * @return false if a read would wait
   * @throws IOException if the kernel will not look
   */
  public static boolean isReadable(int descriptor) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entry = arena.allocate(ENTRY_BYTES, 8);
      entry(entry, 0, descriptor);
      return POLL.countOf(entry, 1L, 0) > 0;
    }
  }

  /**
   * Makes reads and writes of a descriptor fail with {@code EAGAIN} instead of waiting.
   *
   * @param descriptor whose flags are changed
   * @throws IOException if it is not open
   */
  public static void neverWait(int descriptor) throws IOException {
    int flags = CONTROL.countOfVariadic(descriptor, GET_FLAGS, 0);
    CONTROL.countOfVariadic(descriptor, SET_FLAGS, flags | NONBLOCKING);
  }

  /** For tests. */
  int wakeDescriptor(int which) {
    return wakes.get(which);
  }

  private static final class Idle {
    static final int DESCRIPTOR = open();

    private static int open() {
      try {
        return EVENT_DESCRIPTOR.countOf(0, NONBLOCKING_CLOSE_ON_EXEC);
      } catch (IOException e) {
        return -1;
      }
    }
  }

  /** A descriptor of a file to which nothing ever happens; -1 if there was none left. */
  static int idleDescriptor() {
    return Idle.DESCRIPTOR;
  }

  /**
   * Adds a descriptor. Waiting thread only.
   *
   * @param descriptor to be read
   * @param handler called by {@link #await} when it is readable, or closed by another thread; must
   *     read it, or remove it
   */
  public void add(int descriptor, Runnable handler) {
    sources.add(new Source(descriptor, handler));
  }

  /**
   * Removes a descriptor, before it is closed. Waiting thread only.
   *
   * @param descriptor from {@link #add}
   */
  public void remove(int descriptor) {
    sources.removeIf(s -> s.descriptor == descriptor);
  }

  /** Ends the present wait, or the next one. */
  public void wakeup() {
    if (awake.compareAndSet(false, true)) {
      boolean written = false;
      try {
        written = write();
      } finally {
        if (!written) {
          awake.set(false); // the next one tries again
        }
      }
    }
  }

  private boolean write() {
    for (int i = 0; i < wakes.length(); i++) {
      try {
        WRITE_EVENT.check(wakes.get(i), 1L);
        return true;
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "A descriptor of our own is closed", e); // await makes another
      }
    }
    return false;
  }

  /**
   * Closes its own descriptors. Waiting thread only, which does not wait any more; {@link #wakeup}
   * does nothing afterwards.
   *
   * @throws IOException if the kernel will not have it
   */
  public void close() throws IOException {
    // A thread that wakes us now still has to write, and its number may be another file's soon.
    while (!awake.compareAndSet(false, true)) {
      await(0);
    }
    for (int i = 0; i < wakes.length(); i++) {
      CLOSE.check(wakes.get(i));
    }
  }

  /**
   * Waits, and calls the handlers of what is readable, or broken.
   *
   * @param timeoutMillis -1: for ever
   * @throws IOException if the kernel will not have it
   */
  public void await(int timeoutMillis) throws IOException {
    List<Source> now = List.copyOf(sources);
    int first = wakes.length();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate((long) (first + now.size()) * ENTRY_BYTES, 8);
      for (int i = 0; i < first; i++) {
        entry(entries, i, wakes.get(i));
      }
      for (int i = 0; i < now.size(); i++) {
        entry(entries, first + i, now.get(i).descriptor);
      }
      try {
        POLL.countOf(entries, first + now.size(), timeoutMillis);
      } catch (NativeCallException e) {
        if (e.errno() == ErrorNumbers.EINTR) {
          return;
        }
        throw e;
      }
      takeWakeUps(entries, arena);
      for (int i = 0; i < now.size(); i++) {
        if (returned(entries, first + i) != 0 && sources.contains(now.get(i))) {
          now.get(i).handler.run();
        }
      }
    }
  }

  private void takeWakeUps(MemorySegment entries, Arena arena) throws IOException {
    for (int i = 0; i < wakes.length(); i++) {
      short returned = returned(entries, i);
      if (returned == 0) {
        continue;
      }
      if (returned == READABLE) {
        READ_EVENT.check(wakes.get(i), arena.allocate(JAVA_LONG));
      } else {
        LOG.log(
            Level.WARNING,
            MessageCode.RDMA_DESCRIPTOR.text(
                "A descriptor of the RDMA event thread was closed by other code"));
        wakes.set(i, EVENT_DESCRIPTOR.countOf(0, NONBLOCKING_CLOSE_ON_EXEC));
      }
      // Not before: the read would take the count of a wake-up between the two, whose flag would
      // stay, and no thread would write again. Now that one is answered by the end of this wait.
      awake.set(false);
    }
  }

  private static short returned(MemorySegment entries, int i) {
    return entries.get(JAVA_SHORT, (long) i * ENTRY_BYTES + ENTRY_RETURNED);
  }

  private static void entry(MemorySegment entries, int i, int descriptor) {
    entries.set(JAVA_INT, (long) i * ENTRY_BYTES, descriptor);
    entries.set(JAVA_SHORT, (long) i * ENTRY_BYTES + ENTRY_EVENTS, READABLE);
  }
}
