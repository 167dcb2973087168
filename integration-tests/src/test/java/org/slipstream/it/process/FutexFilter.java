package org.slipstream.it.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Becomes another program, to which the kernel refuses one operation on futexes that processes
 * share ({@code seccomp}), with EPERM. The JVM's own futexes are of the private kind.
 */
@SuppressWarnings("restricted") // two calls of the C library, in a test
final class FutexFilter {
  private static final int SET_SECCOMP = 22;
  private static final int SET_NO_NEW_PRIVILEGES = 38;
  private static final long MODE_FILTER = 2;

  private static final short LOAD = 0x20;
  private static final short JUMP_IF_EQUAL = 0x15;
  private static final short RETURN = 0x06;

  private static final int ALLOW = 0x7fff0000;
  private static final int EPERM = 0x00050001;

  /** Offsets in {@code struct seccomp_data}; of the second argument, its low half. */
  private static final int NUMBER = 0;

  private static final int OPERATION = 24;

  private static final int INSTRUCTION_BYTES = 8;

  private static final Linker LINKER = Linker.nativeLinker();

  private FutexFilter() {}

  private static MethodHandle function(String name, FunctionDescriptor shape, int fixed) {
    MemorySegment address = LINKER.defaultLookup().findOrThrow(name);
    return fixed == 0
        ? LINKER.downcallHandle(address, shape)
        : LINKER.downcallHandle(address, shape, Linker.Option.firstVariadicArg(fixed));
  }

  private static int futex() {
    return System.getProperty("os.arch").equals("amd64") ? 202 : 98;
  }

  /**
   * Never returns, unless it fails.
   *
   * @param args the operation, and the command line
   * @throws Throwable it can not be done here
   */
  public static void main(String[] args) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      int[][] program = {
        {LOAD, 0, 0, NUMBER},
        {JUMP_IF_EQUAL, 0, 3, futex()},
        {LOAD, 0, 0, OPERATION},
        {JUMP_IF_EQUAL, 0, 1, Integer.parseInt(args[0])},
        {RETURN, 0, 0, EPERM},
        {RETURN, 0, 0, ALLOW},
      };
      MemorySegment code = arena.allocate((long) program.length * INSTRUCTION_BYTES, 8);
      for (int i = 0; i < program.length; i++) {
        long at = (long) i * INSTRUCTION_BYTES;
        code.set(JAVA_SHORT, at, (short) program[i][0]);
        code.set(JAVA_BYTE, at + 2, (byte) program[i][1]);
        code.set(JAVA_BYTE, at + 3, (byte) program[i][2]);
        code.set(JAVA_INT, at + 4, program[i][3]);
      }
      MemorySegment filter =
          arena.allocate(
              MemoryLayout.structLayout(JAVA_SHORT, MemoryLayout.paddingLayout(6), ADDRESS));
      filter.set(JAVA_SHORT, 0, (short) program.length);
      filter.set(ADDRESS, 8, code);
      MethodHandle prctl =
          function(
              "prctl",
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              1);
      check((int) prctl.invokeExact(SET_NO_NEW_PRIVILEGES, 1L, 0L, 0L, 0L));
      check((int) prctl.invokeExact(SET_SECCOMP, MODE_FILTER, filter.address(), 0L, 0L));
      become(arena, Arrays.copyOfRange(args, 1, args.length));
    }
  }

  private static void become(Arena arena, String[] command) throws Throwable {
    MemorySegment list = arena.allocate(ADDRESS, command.length + 1L);
    for (int i = 0; i < command.length; i++) {
      list.setAtIndex(ADDRESS, i, arena.allocateFrom(command[i]));
    }
    MethodHandle execvp = function("execvp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), 0);
    check((int) execvp.invokeExact(list.getAtIndex(ADDRESS, 0), list));
  }

  private static void check(int result) {
    if (result != 0) {
      throw new IllegalStateException("the kernel lets no filter be set here");
    }
  }
}
