package org.slipstream.core.doorbell;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;

/**
 * The kernel's queue of threads that sleep on a word of memory, also of memory that processes
 * share.
 *
 * <p>Addresses are plain numbers: a wake-up that comes late must not keep the memory of a session
 * mapped, and the kernel answers for an address that is gone.
 */
final class Futex {
  /** Not the private kind: the word is shared by two processes. */
  private static final long WAIT = 0;

  private static final long WAKE = 1;

  /** A hostile peer may sleep on the word as well, and must not take the wake-up of our thread. */
  private static final long ALL = Integer.MAX_VALUE;

  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int ETIMEDOUT = 110;

  private static final long NS_PER_S = 1_000_000_000;

  /** Where errors are left that no thread reads. */
  private static final CallMemory IGNORED = SystemCall.errorIn(Arena.global());

  /** What a sleep needs besides the word; belongs to one sleeper. */
  static final class Scratch {
    private final CallMemory state = SystemCall.errorIn(Arena.ofAuto());

    /** A {@code timespec}: seconds and nanoseconds. */
    private final CallMemory time = new CallMemory(Arena.ofAuto(), 2 * Long.BYTES);
  }

  private Futex() {}

  /** Fails with one sentence where the kernel, or a filter of system calls, refuses. */
  static void probe() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory word = new CallMemory(arena, Integer.BYTES);
      if (!wake(word.address())) {
        throw new IOException("the kernel does not let this process wake a futex");
      }
      if (!sleep(word.address(), 1, 1, new Scratch())) {
        throw new IOException("the kernel does not let this process sleep on a futex");
      }
    }
  }

  /**
   * Wakes all threads that sleep on the word.
   *
   * @return false if the kernel refuses, or the memory is gone
   */
  static boolean wake(long word) {
    return SystemCall.FUTEX.call(IGNORED, word, WAKE, ALL, 0) >= 0;
  }

  /**
   * Sleeps while the word has that value, for so long at most, or until a signal.
   *
   * @return false if the kernel refuses to sleep, or the memory is gone
   */
  static boolean sleep(long word, int value, long nanos, Scratch scratch) {
    scratch.time.buffer().putLong(0, nanos / NS_PER_S).putLong(Long.BYTES, nanos % NS_PER_S);
    try {
      long time = scratch.time.address();
      if (SystemCall.FUTEX.call(scratch.state, word, WAIT, value, time) == 0) {
        return true;
      }
      int errno = SystemCall.error(scratch.state);
      return errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
    } finally {
      Reference.reachabilityFence(scratch); // or the kernel may read a time that is freed
    }
  }
}
