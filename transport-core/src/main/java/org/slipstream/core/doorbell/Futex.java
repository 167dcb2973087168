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
import java.util.Locale;
import org.slipstream.transport.CLibrary;

/**
 * The kernel's queue of threads that sleep on a word of memory, also of memory that processes
 * share. No call here is {@linkplain Linker.Option#critical critical}: a thread that sleeps must
 * not hold up the JVM.
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

  private static final long NUMBER = number(System.getProperty("os.arch", ""));

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(StructLayout.PathElement.groupElement("errno"));

  private static final FunctionDescriptor CALL =
      FunctionDescriptor.of(
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG);

  private static final MethodHandle SYSCALL = bind();
  private static final MethodHandle SYSCALL_WITH_ERRNO =
      bind(Linker.Option.captureCallState("errno"));

  /** What a sleep needs besides the word; belongs to one sleeper. */
  static final class Scratch {
    private final MemorySegment state = Arena.ofAuto().allocate(STATE);

    /** A {@code timespec}: seconds and nanoseconds. */
    private final MemorySegment time = Arena.ofAuto().allocate(2L * Long.BYTES, Long.BYTES);
  }

  private Futex() {}

  private static MethodHandle bind(Linker.Option... more) {
    Linker.Option[] options = new Linker.Option[more.length + 1];
    options[0] = Linker.Option.firstVariadicArg(1);
    System.arraycopy(more, 0, options, 1, more.length);
    return CLibrary.link("syscall", CALL, options);
  }

  /** The number of the system call; fails where it is not known. */
  private static long number(String arch) {
    return switch (arch.toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> 202;
      case "aarch64", "riscv64", "loongarch64" -> 98;
      default -> throw new UnsupportedOperationException("futex has no known number on " + arch);
    };
  }

  /** Fails with one sentence where the kernel, or a filter of system calls, refuses. */
  static void probe() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(ValueLayout.JAVA_INT);
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
    try {
      return (long) SYSCALL.invokeExact(NUMBER, word, WAKE, ALL, 0L) >= 0;
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
  }

  /**
   * Sleeps while the word has that value, for so long at most, or until a signal.
   *
   * @return false if the kernel refuses to sleep, or the memory is gone
   */
  static boolean sleep(long word, int value, long nanos, Scratch scratch) {
    scratch.time.set(ValueLayout.JAVA_LONG, 0, nanos / NS_PER_S);
    scratch.time.set(ValueLayout.JAVA_LONG, Long.BYTES, nanos % NS_PER_S);
    long result;
    try {
      result =
          (long)
              SYSCALL_WITH_ERRNO.invokeExact(
                  scratch.state, NUMBER, word, WAIT, (long) value, scratch.time.address());
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    if (result == 0) {
      return true;
    }
    int errno = (int) ERRNO.get(scratch.state, 0L);
    return errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
  }
}
