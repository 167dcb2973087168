package org.slipstream.it.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A socket of another process, which this one has borrowed ({@code pidfd_getfd}). */
@SuppressWarnings("restricted") // calls of the C library, in a test
final class BorrowedSocket implements AutoCloseable {
  private static final long PIDFD_OPEN = 434;
  private static final long PIDFD_GETFD = 438;
  private static final int BOTH = 2;
  private static final int SOL_SOCKET = 1;
  private static final int SO_TIMESTAMPING = 37;
  private static final int TX_SCHED = 1 << 8;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SYSCALL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("syscall"),
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle SHUTDOWN = function("shutdown", JAVA_INT, JAVA_INT);
  private static final MethodHandle CLOSE = function("close", JAVA_INT);
  private static final MethodHandle SET =
      function("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ValueLayout.ADDRESS, JAVA_INT);
  private static final MethodHandle WRITE =
      function("write", JAVA_INT, ValueLayout.ADDRESS, JAVA_LONG);

  private final int descriptor;

  private BorrowedSocket(int descriptor) {
    this.descriptor = descriptor;
  }

  private static MethodHandle function(String name, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** All sockets of a process that have one of these names, as {@code socket:[INODE]}. */
  static List<BorrowedSocket> of(long pid, Set<String> names) throws IOException {
    List<BorrowedSocket> all = new ArrayList<>();
    try {
      int process = descriptor((long) SYSCALL.invokeExact(PIDFD_OPEN, pid, 0L, 0L));
      for (long number : numbers(pid, names)) {
        all.add(
            new BorrowedSocket(
                descriptor((long) SYSCALL.invokeExact(PIDFD_GETFD, (long) process, number, 0L))));
      }
      assertThat((int) CLOSE.invokeExact(process)).isZero();
    } catch (Throwable t) {
      throw new AssertionError("the sockets of process " + pid + " can not be borrowed", t);
    }
    return all;
  }

  /** The numbers of the descriptors of a process that are such sockets. */
  static List<Long> numbers(long pid, Set<String> names) throws IOException {
    List<Long> numbers = new ArrayList<>();
    try (Stream<Path> list = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path link : list.toList()) {
        if (names.contains(target(link))) {
          numbers.add(Long.parseLong(link.getFileName().toString()));
        }
      }
    }
    return numbers;
  }

  /** The TCP connection of a process at a local port. */
  static BorrowedSocket ofPort(long pid, int port) throws IOException {
    String end = ":%04X".formatted(port);
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
        String[] words = line.strip().split("\\s+", -1);
        if (words[1].endsWith(end)) {
          List<BorrowedSocket> one = of(pid, Set.of("socket:[" + words[9] + "]"));
          if (!one.isEmpty()) {
            return one.getFirst();
          }
        }
      }
    }
    throw new AssertionError("process " + pid + " has no connection at port " + port);
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  private static int descriptor(long result) {
    assertThat(result).isNotNegative();
    return (int) result;
  }

  /** Both directions, and so for its process, too. */
  void shutdown() {
    call(SHUTDOWN, descriptor, BOTH);
  }

  /** Sends a byte, of which the kernel leaves a copy in the queue of errors. */
  void leaveCopyOf(byte sent) {
    showSegments(TX_SCHED);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(1);
      bytes.set(ValueLayout.JAVA_BYTE, 0, sent);
      assertThat(call(WRITE, descriptor, bytes, 1L)).isOne();
    }
    showSegments(0);
  }

  private void showSegments(int which) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(JAVA_INT, which);
      assertThat(call(SET, descriptor, SOL_SOCKET, SO_TIMESTAMPING, value, Integer.BYTES)).isZero();
    }
  }

  private static int call(MethodHandle function, Object... arguments) {
    try {
      return (int) function.invokeWithArguments(arguments);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  @Override
  public void close() {
    assertThat(call(CLOSE, descriptor)).isZero();
  }
}
