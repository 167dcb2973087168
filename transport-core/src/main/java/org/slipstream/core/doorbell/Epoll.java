package org.slipstream.core.doorbell;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.slipstream.transport.CLibrary;

/**
 * The kernel's own list of connections that have news, each reported once per piece of news. Never
 * closed: it belongs to the process.
 */
final class Epoll {
  private static final int CLOEXEC = 0x80000;
  private static final int ADD = 1;

  private static final int IN = 1;
  private static final int ERR = 8;
  private static final int HUP = 0x10;
  private static final int RDHUP = 0x2000;
  private static final int EDGE_TRIGGERED = 1 << 31;

  private static final int EINTR = 4;

  /** Reports that are taken at a time. */
  private static final int MOST = 64;

  /** {@code struct epoll_event} is packed on x86 alone. */
  private static final int DATA = isPacked() ? 4 : 8;

  private static final int EVENT_BYTES = DATA + Long.BYTES;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(StructLayout.PathElement.groupElement("errno"));

  private static final MethodHandle CREATE = bind("epoll_create1", ValueLayout.JAVA_INT);
  private static final MethodHandle CONTROL =
      bind(
          "epoll_ctl",
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT,
          ValueLayout.ADDRESS);
  private static final MethodHandle WAIT =
      bind(
          "epoll_wait",
          ValueLayout.JAVA_INT,
          ValueLayout.ADDRESS,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_INT);

  /** Told of each report. */
  @FunctionalInterface
  interface Listener {
    void reported(long token);
  }

  private final int descriptor;

  /** Of the thread that waits. */
  private final MemorySegment state = Arena.global().allocate(STATE);

  private final MemorySegment events =
      Arena.global().allocate((long) MOST * EVENT_BYTES, Long.BYTES);

  private Epoll(int descriptor) {
    this.descriptor = descriptor;
  }

  private static boolean isPacked() {
    String arch = System.getProperty("os.arch", "");
    return arch.equals("amd64") || arch.equals("x86_64");
  }

  private static MethodHandle bind(String function, ValueLayout... arguments) {
    return CLibrary.link(
        function,
        FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments),
        Linker.Option.captureCallState("errno"));
  }

  static Epoll open() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      int descriptor = (int) CREATE.invokeExact(errno, CLOEXEC);
      if (descriptor < 0) {
        throw failed("epoll_create1", errno);
      }
      return new Epoll(descriptor);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Registers a connection; if it has news already, they are reported. Any thread.
   *
   * @return false if the kernel has it already, or refuses it
   */
  boolean add(int connection, long token) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      MemorySegment event = arena.allocate(EVENT_BYTES, Long.BYTES);
      event.set(ValueLayout.JAVA_INT, 0, IN | RDHUP | ERR | HUP | EDGE_TRIGGERED);
      event.set(ValueLayout.JAVA_LONG_UNALIGNED, DATA, token);
      return (int) CONTROL.invokeExact(errno, descriptor, ADD, connection, event) == 0;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for reports. One thread. */
  void await(Listener listener) throws IOException {
    int n;
    try {
      n = (int) WAIT.invokeExact(state, descriptor, events, MOST, -1);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    if (n < 0 && (int) ERRNO.get(state, 0L) != EINTR) {
      throw failed("epoll_wait", state);
    }
    for (int i = 0; i < n; i++) {
      listener.reported(events.get(ValueLayout.JAVA_LONG_UNALIGNED, (long) i * EVENT_BYTES + DATA));
    }
  }

  private static IOException failed(String function, MemorySegment errno) {
    return new IOException(function + " failed with error " + (int) ERRNO.get(errno, 0L));
  }
}
