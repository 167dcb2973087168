package org.slipstream.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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
  static final int ENTRY_BYTES = 8;
  static final int ENTRY_EVENTS = 4;
  static final int ENTRY_RETURNED = 6;
  static final short READABLE = 1;
  private static final int INTERRUPTED = 4;

  private static final NativeLibrary C = NativeLibrary.c();
  private static final Call POLL = Call.of(C, "poll");
  private static final Call EVENT_DESCRIPTOR = Call.of(C, "eventfd");
  private static final Call READ_EVENT = Call.of(C, "eventfd_read");
  private static final Call WRITE_EVENT = Call.of(C, "eventfd_write");
  static final int NONBLOCKING_CLOSE_ON_EXEC = 0x80800;

  private final int wake;
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
    wake = EVENT_DESCRIPTOR.countOf(0, NONBLOCKING_CLOSE_ON_EXEC);
  }

  /** Whether a descriptor can be read, or is broken, at this moment. */
  static boolean isReadable(int descriptor) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entry = arena.allocate(ENTRY_BYTES, 8);
      entry(entry, 0, descriptor);
      return POLL.countOf(entry, 1L, 0) > 0;
    }
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
   * @param handler called by {@link #await} when it is readable; must read it, or remove it
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
      try {
        WRITE_EVENT.check(wake, 1L);
      } catch (IOException e) {
        throw new IllegalStateException(e); // the counter of a descriptor of our own
      }
    }
  }

  /**
   * Waits, and calls the handlers of what is readable.
   *
   * @param timeoutMillis -1: for ever
   * @throws IOException if the kernel will not have it
   */
  public void await(int timeoutMillis) throws IOException {
    List<Source> now = List.copyOf(sources);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate((now.size() + 1L) * ENTRY_BYTES, 8);
      entry(entries, 0, wake);
      for (int i = 0; i < now.size(); i++) {
        entry(entries, i + 1, now.get(i).descriptor);
      }
      try {
        POLL.countOf(entries, now.size() + 1L, timeoutMillis);
      } catch (NativeCallException e) {
        if (e.errno() == INTERRUPTED) {
          return;
        }
        throw e;
      }
      if (entries.get(JAVA_SHORT, ENTRY_RETURNED) != 0) {
        READ_EVENT.check(wake, arena.allocate(JAVA_LONG));
        // Not before: the read would take the count of a wake-up between the two, whose flag would
        // stay, and nobody would write again. Now that one is answered by the end of this wait.
        awake.set(false);
      }
      for (int i = 0; i < now.size(); i++) {
        if (entries.get(JAVA_SHORT, (i + 1L) * ENTRY_BYTES + ENTRY_RETURNED) != 0
            && sources.contains(now.get(i))) {
          now.get(i).handler.run();
        }
      }
    }
  }

  private static void entry(MemorySegment entries, int i, int descriptor) {
    entries.set(JAVA_INT, (long) i * ENTRY_BYTES, descriptor);
    entries.set(JAVA_SHORT, (long) i * ENTRY_BYTES + ENTRY_EVENTS, READABLE);
  }
}
