package org.slipstream.rdma.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of the data path. Drivers supply them through pointers in the context, so the pointer
 * is the first argument and the handles are constants. They never wait for the peer.
 *
 * <p>Only looking at a completion queue is {@linkplain Linker.Option#critical critical}: it is a
 * look at memory in every driver. Posting enters the kernel in drivers of soft devices, and may do
 * the device's work there.
 */
@SuppressWarnings("restricted") // calling C is what it is for
final class FastPath {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option LEAF = Linker.Option.critical(false);

  private static final MethodHandle POST =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle POLL =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS), LEAF);
  private static final MethodHandle NOTIFY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

  private FastPath() {}

  /**
   * Posts a list of work requests.
   *
   * @return 0 or an errno value
   */
  static int post(
      MemorySegment function, MemorySegment queuePair, MemorySegment request, MemorySegment bad) {
    try {
      return (int) POST.invokeExact(function, queuePair, request, bad);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * Takes completions.
   *
   * @return how many, or a negative number
   */
  static int poll(MemorySegment function, MemorySegment queue, int max, MemorySegment completions) {
    try {
      return (int) POLL.invokeExact(function, queue, max, completions);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * Asks for an event at the next completion.
   *
   * @return 0 or an errno value
   */
  static int requestNotify(MemorySegment function, MemorySegment queue) {
    try {
      return (int) NOTIFY.invokeExact(function, queue, 0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    if (e instanceof RuntimeException r) {
      return r;
    }
    throw new AssertionError(e); // a downcall throws nothing that is checked
  }
}
