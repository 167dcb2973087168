package org.slipstream.rdma.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.slipstream.transport.MemoryShortage;

/**
 * Calls into C, one handle for each shape of function and not for each function: linking a handle
 * costs more than anything else here, and shapes are few. Every handle takes the function's address
 * first, so all are constants and none needs a library to exist.
 *
 * <p>All of these may sleep in the kernel: they are for the event thread, never for a program's
 * thread. One exception: the control thread registers slabs of windows when a link is made. What
 * programs' threads call is in {@link FastPath}. A failed call is an {@link IOException} that names
 * the function and errno.
 */
@SuppressWarnings("restricted") // calling C is what it is for
public final class Call {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_VALUE =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  // In the order of their arguments: A address, I int, L long, B byte.
  private static final MethodHandle A_OF = pointer();
  private static final MethodHandle A_OF_A = pointer(ADDRESS);
  private static final MethodHandle A_OF_I = pointer(JAVA_INT);
  private static final MethodHandle A_OF_AALI = pointer(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle A_OF_AIAAI =
      pointer(ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
  private static final MethodHandle I_OF_A = number(ADDRESS);
  private static final MethodHandle I_OF_I = number(JAVA_INT);
  private static final MethodHandle I_OF_IA = number(JAVA_INT, ADDRESS);
  private static final MethodHandle I_OF_IL = number(JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_OF_AA = number(ADDRESS, ADDRESS);
  private static final MethodHandle I_OF_AI = number(ADDRESS, JAVA_INT);
  private static final MethodHandle I_OF_II = number(JAVA_INT, JAVA_INT);
  private static final MethodHandle I_OF_III = number(JAVA_INT, JAVA_INT, JAVA_INT);

  /** The third argument is one of {@code ...}. */
  private static final MethodHandle I_OF_II_I =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          ERRNO,
          Linker.Option.firstVariadicArg(2));

  private static final MethodHandle I_OF_AAA = number(ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle I_OF_AAI = number(ADDRESS, ADDRESS, JAVA_INT);
  private static final MethodHandle I_OF_AAB = number(ADDRESS, ADDRESS, JAVA_BYTE);
  private static final MethodHandle I_OF_ALI = number(ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_OF_AAAI = number(ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
  private static final MethodHandle I_OF_AIIAL =
      number(ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG);

  private final MemorySegment address;
  private final String name;

  private Call(MemorySegment address, String name) {
    this.address = address;
    this.name = name;
  }

  /**
   * Names a function.
   *
   * @param library where it is
   * @param function its name
   * @return to be called
   * @throws IllegalStateException if the library does not have it
   */
  public static Call of(NativeLibrary library, String function) {
    return new Call(library.address(function), function);
  }

  /**
   * Names a function that old versions of the library do not have. Calling it there is an {@link
   * IOException}.
   *
   * @param library where it may be
   * @param function its name
   * @return to be called
   * @throws IllegalStateException if there is no library
   */
  public static Call ofNewer(NativeLibrary library, String function) {
    return new Call(library.find(function).orElse(MemorySegment.NULL), function);
  }

  /**
   * Whether the library has it.
   *
   * @return false if every call fails
   */
  public boolean isThere() {
    return address.address() != 0;
  }

  private static MethodHandle pointer(MemoryLayout... arguments) {
    return LINKER.downcallHandle(FunctionDescriptor.of(ADDRESS, arguments), ERRNO);
  }

  private static MethodHandle number(MemoryLayout... arguments) {
    return LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, arguments), ERRNO);
  }

  /** One invocation of a function that returns a pointer, with the place for its errno. */
  @FunctionalInterface
  private interface PointerInvocation {
    MemorySegment with(MemorySegment state) throws Throwable;
  }

  /** Of one that returns a number, which is not boxed: without memory that would hide a success. */
  @FunctionalInterface
  private interface NumberInvocation {
    int with(MemorySegment state) throws Throwable;
  }

  /** What a number must be to be no failure. */
  private enum Success {
    ZERO,
    NOT_NEGATIVE,
    ANY;

    boolean is(int result) {
      return switch (this) {
        case ZERO -> result == 0;
        case NOT_NEGATIVE -> result >= 0;
        case ANY -> true;
      };
    }
  }

  private MemorySegment pointerOf(PointerInvocation invocation) throws IOException {
    requireThere();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment result = invocation.with(state);
      if (result.address() == 0) {
        throw new NativeCallException(name, errno(state));
      }
      return result;
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  private int numberOf(NumberInvocation invocation, Success success) throws IOException {
    requireThere();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int result = invocation.with(state);
      if (!success.is(result)) {
        // Functions of libibverbs return the error itself, all others -1.
        throw new NativeCallException(name, result > 0 ? result : errno(state));
      }
      return result;
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  private void requireThere() throws IOException {
    if (!isThere()) {
      throw new IOException("this version of the library has no function " + name);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO_VALUE.get(state, 0L);
  }

  private static AssertionError rethrown(Throwable e) throws IOException {
    switch (e) {
      case IOException failure -> throw failure;
      case RuntimeException failure -> throw failure;
      case Error failure -> throw failure;
      default -> throw new AssertionError(e); // a downcall throws nothing that is checked
    }
  }

  // -- functions that return a pointer; null is a failure ----------------------------------------

  public MemorySegment pointerOf() throws IOException {
    return pointerOf(s -> (MemorySegment) A_OF.invokeExact(address, s));
  }

  public MemorySegment pointerOf(MemorySegment a) throws IOException {
    return pointerOf(s -> (MemorySegment) A_OF_A.invokeExact(address, s, a));
  }

  public MemorySegment pointerOf(int a) throws IOException {
    return pointerOf(s -> (MemorySegment) A_OF_I.invokeExact(address, s, a));
  }

  public MemorySegment pointerOf(MemorySegment a, MemorySegment b, long c, int d)
      throws IOException {
    return pointerOf(s -> (MemorySegment) A_OF_AALI.invokeExact(address, s, a, b, c, d));
  }

  public MemorySegment pointerOf(MemorySegment a, int b, MemorySegment c, MemorySegment d, int e)
      throws IOException {
    return pointerOf(s -> (MemorySegment) A_OF_AIAAI.invokeExact(address, s, a, b, c, d, e));
  }

  // -- functions that return a number; everything but 0 is a failure -----------------------------

  public void check(MemorySegment a) throws IOException {
    numberOf(s -> (int) I_OF_A.invokeExact(address, s, a), Success.ZERO);
  }

  public void check(MemorySegment a, MemorySegment b) throws IOException {
    numberOf(s -> (int) I_OF_AA.invokeExact(address, s, a, b), Success.ZERO);
  }

  public void check(MemorySegment a, int b) throws IOException {
    numberOf(s -> (int) I_OF_AI.invokeExact(address, s, a, b), Success.ZERO);
  }

  public void check(MemorySegment a, MemorySegment b, MemorySegment c) throws IOException {
    numberOf(s -> (int) I_OF_AAA.invokeExact(address, s, a, b, c), Success.ZERO);
  }

  public void check(MemorySegment a, MemorySegment b, int c) throws IOException {
    numberOf(s -> (int) I_OF_AAI.invokeExact(address, s, a, b, c), Success.ZERO);
  }

  public void check(MemorySegment a, MemorySegment b, byte c) throws IOException {
    numberOf(s -> (int) I_OF_AAB.invokeExact(address, s, a, b, c), Success.ZERO);
  }

  public void check(MemorySegment a, MemorySegment b, MemorySegment c, int d) throws IOException {
    numberOf(s -> (int) I_OF_AAAI.invokeExact(address, s, a, b, c, d), Success.ZERO);
  }

  public void check(MemorySegment a, int b, int c, MemorySegment d, long e) throws IOException {
    numberOf(s -> (int) I_OF_AIIAL.invokeExact(address, s, a, b, c, d, e), Success.ZERO);
  }

  void check(int a) throws IOException {
    numberOf(s -> (int) I_OF_I.invokeExact(address, s, a), Success.ZERO);
  }

  void check(int a, MemorySegment b) throws IOException {
    numberOf(s -> (int) I_OF_IA.invokeExact(address, s, a, b), Success.ZERO);
  }

  void check(int a, long b) throws IOException {
    numberOf(s -> (int) I_OF_IL.invokeExact(address, s, a, b), Success.ZERO);
  }

  // -- functions that return a count; below 0 is a failure ---------------------------------------

  int countOf(int a, int b) throws IOException {
    return numberOf(s -> (int) I_OF_II.invokeExact(address, s, a, b), Success.NOT_NEGATIVE);
  }

  int countOf(int a, int b, int c) throws IOException {
    return numberOf(s -> (int) I_OF_III.invokeExact(address, s, a, b, c), Success.NOT_NEGATIVE);
  }

  int countOfVariadic(int a, int b, int c) throws IOException {
    return numberOf(s -> (int) I_OF_II_I.invokeExact(address, s, a, b, c), Success.NOT_NEGATIVE);
  }

  int countOf(MemorySegment a, long b, int c) throws IOException {
    return numberOf(s -> (int) I_OF_ALI.invokeExact(address, s, a, b, c), Success.NOT_NEGATIVE);
  }

  // -- functions that give something back, which would be kept: without memory they are tried again

  /** Everything but 0 is a failure. */
  public void release(MemorySegment a) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        check(a);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** The result register of a void function holds anything: it is not looked at. */
  public void run(MemorySegment a) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        numberOf(s -> (int) I_OF_A.invokeExact(address, s, a), Success.ANY);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  public void run(MemorySegment a, int b) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        numberOf(s -> (int) I_OF_AI.invokeExact(address, s, a, b), Success.ANY);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }
}
