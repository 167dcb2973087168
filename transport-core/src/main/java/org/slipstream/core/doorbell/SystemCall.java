package org.slipstream.core.doorbell;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary;
import org.slipstream.transport.OutOfLine;
import org.slipstream.transport.Platform;

/**
 * The kernel's functions that doorbells and {@code core.identity} need, by number and through one
 * function of the C library: with the agent {@linkplain CLibrary#direct directly}, else linked. A
 * function that is linked costs a process a quarter of a second of processor time if it is the
 * first, and some 15 ms if not, most of it while the process is young.
 *
 * <p>No call is {@linkplain Linker.Option#critical critical}: a thread that sleeps must not hold up
 * the JVM.
 */
public enum SystemCall {
  /** Sleeps on a word of memory, and wakes. */
  FUTEX(202, 98, 221),
  /** Sets an option of a socket. */
  SETSOCKOPT(54, 208, 339),
  /** Reads one. */
  GETSOCKOPT(55, 209, 340),
  /** Receives, also from the queue of errors. */
  RECVMSG(47, 212, 342),
  /** Duplicates a descriptor. */
  FCNTL(72, 25, 55),
  /** Closes one. */
  CLOSE(3, 57, 6),
  /** Counts what a thread has used. */
  GETRUSAGE(98, 165, 77),
  /** Makes a list of connections with news. */
  EPOLL_CREATE(291, 20, 315),
  /** Changes it. */
  EPOLL_CONTROL(233, 21, 237),
  /** Waits for it. */
  EPOLL_WAIT(281, 22, 303);

  /** The linker's {@code captureStateLayout()} is {@code errno} alone on Linux. */
  private static final int ERROR_BYTES = Integer.BYTES;

  private static final int ARGUMENTS = 6;

  /** Looked for at the first call; null where it is linked. */
  private static final class Direct {
    static final CLibrary.@Nullable DirectFunction FUNCTION = CLibrary.direct("syscall");
    static final @Nullable MethodHandle CALL = FUNCTION == null ? null : FUNCTION.call();
    static final long ADDRESS = FUNCTION == null ? 0 : FUNCTION.address();
  }

  /** Linked at the first call where it can not be called directly. */
  private static final class Linked {
    static final MethodHandle CALL = link();
  }

  /** Written by the thread that links; any thread asks. */
  private static volatile boolean linked;

  private final int x86;
  private final int generic;
  private final int power;
  private final long number;

  /**
   * Of Linux.
   *
   * @param x86 on x86-64
   * @param generic on the architectures that came later, which share one table
   * @param power on PowerPC
   */
  SystemCall(int x86, int generic, int power) {
    this.x86 = x86;
    this.generic = generic;
    this.power = power;
    this.number = on(Platform.here());
  }

  /** Its number there; fails where none is known. */
  long on(Platform platform) {
    return platform.systemCall(x86, generic, power);
  }

  /** Whether a call needs no linking, which costs a young process much. Any thread. */
  static boolean isCheap() {
    return Direct.CALL != null || linked;
  }

  private static MethodHandle link() {
    ValueLayout[] arguments = new ValueLayout[1 + ARGUMENTS];
    Arrays.fill(arguments, ValueLayout.JAVA_LONG);
    MethodHandle call =
        CLibrary.link(
            "syscall",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    linked = true;
    return call;
  }

  /**
   * Memory for the error of a call: of one thread at a time, if the error is asked for.
   *
   * @param arena in which it lives
   * @return given to calls
   */
  public static CallMemory errorIn(Arena arena) {
    return new CallMemory(arena, ERROR_BYTES);
  }

  /** The error of the last call that was given this memory and failed. */
  static int error(CallMemory state) {
    return state.buffer().getInt(0);
  }

  /**
   * Calls the kernel; arguments that it does not look at may be anything.
   *
   * @return -1 if it failed
   */
  long call(CallMemory state, long a, long b, long c, long d) {
    return call(state, a, b, c, d, 0);
  }

  /**
   * Calls the kernel; arguments that it does not look at may be anything. Links at the first call
   * in the process.
   *
   * @param state from {@link #errorIn}
   * @param a the first argument
   * @param b the second one
   * @param c the third one
   * @param d the fourth one
   * @param e the fifth one
   * @return -1 if it failed
   */
  @OutOfLine
  public long call(CallMemory state, long a, long b, long c, long d, long e) {
    MethodHandle direct = Direct.CALL;
    try {
      return direct == null
          ? (long) Linked.CALL.invokeExact(state.segment(), number, a, b, c, d, e, 0L)
          : (long) direct.invokeExact(Direct.ADDRESS, state.address(), number, a, b, c, d, e);
    } catch (RuntimeException | Error t) {
      throw t; // without memory, which callers wait for
    } catch (Throwable t) {
      throw new AssertionError(t); // a downcall throws nothing that is checked
    } finally {
      Reference.reachabilityFence(state);
    }
  }
}
