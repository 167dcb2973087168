package org.slipstream.core.doorbell;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Platform;

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
  private static final int ENFILE = 23;
  private static final int EMFILE = 24;

  /** Reports that are taken at a time. */
  private static final int MOST = 64;

  /** {@code struct epoll_event} is packed on x86-64 alone. */
  private static final int DATA = Platform.here().packsEpollEvents() ? 4 : 8;

  private static final int EVENT_BYTES = DATA + Long.BYTES;

  /** Told of each report. */
  @FunctionalInterface
  interface Listener {
    void reported(long token);
  }

  private final int descriptor;

  /** Of the thread that waits. */
  private final CallMemory state = SystemCall.errorIn(Arena.global());

  private final CallMemory events = new CallMemory(Arena.global(), MOST * EVENT_BYTES);

  private Epoll(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Null if there is no descriptor for it at the moment. */
  static @Nullable Epoll open() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory error = SystemCall.errorIn(arena);
      long descriptor = SystemCall.EPOLL_CREATE.call(error, CLOEXEC, 0, 0, 0);
      if (descriptor < 0) {
        int number = SystemCall.error(error);
        if (number == ENFILE || number == EMFILE) {
          return null;
        }
        throw failed("epoll_create1", error);
      }
      return new Epoll((int) descriptor);
    }
  }

  /**
   * Registers a connection; if it has news already, they are reported. Any thread.
   *
   * @return false if the kernel has it already, or refuses it
   */
  boolean add(int connection, long token) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory event = new CallMemory(arena, EVENT_BYTES);
      event.buffer().putInt(0, IN | RDHUP | ERR | HUP | EDGE_TRIGGERED).putLong(DATA, token);
      return SystemCall.EPOLL_CONTROL.call(
              SystemCall.errorIn(arena), descriptor, ADD, connection, event.address())
          == 0;
    }
  }

  /**
   * Waits for reports, or until the thread is signalled. One thread.
   *
   * @param forEver false = takes what is there
   */
  void await(boolean forEver, Listener listener) throws IOException {
    long n =
        SystemCall.EPOLL_WAIT.call(state, descriptor, events.address(), MOST, forEver ? -1 : 0);
    if (n < 0 && SystemCall.error(state) != EINTR) {
      throw failed("epoll_wait", state);
    }
    for (int i = 0; i < n; i++) {
      listener.reported(events.buffer().getLong(i * EVENT_BYTES + DATA));
    }
  }

  private static IOException failed(String function, CallMemory error) {
    return new IOException(function + " failed with error " + SystemCall.error(error));
  }
}
