package org.slipstream.it.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cuts the sessions of a process from outside while it lives: borrows their sockets ({@code
 * pidfd_getfd}) and shuts them down, so that both ends see the end of the session.
 */
@SuppressWarnings("restricted") // three calls of the C library, in a test
final class SessionKnife {
  private static final long PIDFD_OPEN = 434;
  private static final long PIDFD_GETFD = 438;
  private static final int BOTH = 2;
  private static final String CONNECTED = "03";

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SYSCALL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("syscall"),
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle SHUTDOWN =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("shutdown"),
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private SessionKnife() {}

  /** Whether any process has a session with a process. */
  static boolean hasSessions(long pid, Path directory) throws IOException {
    return !sessions(pid, directory).isEmpty();
  }

  private static List<Long> sessions(long pid, Path directory) throws IOException {
    Set<String> inodes = acceptedSessions(directory);
    List<Long> descriptors = new ArrayList<>();
    try (Stream<Path> list = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path link : list.toList()) {
        if (inodes.contains(target(link))) {
          descriptors.add(Long.parseLong(link.getFileName().toString()));
        }
      }
    }
    return descriptors;
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** Cuts the sessions that others, and it itself, have made with a process. */
  static void cutAll(long pid, Path directory) throws IOException {
    List<Long> descriptors = sessions(pid, directory);
    assertThat(descriptors).as("sessions of process %s", pid).isNotEmpty();
    try {
      int process = descriptor((long) SYSCALL.invokeExact(PIDFD_OPEN, pid, 0L, 0L));
      for (long number : descriptors) {
        int borrowed =
            descriptor((long) SYSCALL.invokeExact(PIDFD_GETFD, (long) process, number, 0L));
        assertThat((int) SHUTDOWN.invokeExact(borrowed, BOTH)).isZero();
        assertThat((int) CLOSE.invokeExact(borrowed)).isZero();
      }
      assertThat((int) CLOSE.invokeExact(process)).isZero();
    } catch (Throwable t) {
      throw new AssertionError("the sessions of process " + pid + " can not be cut", t);
    }
  }

  private static int descriptor(long result) {
    assertThat(result).isNotNegative();
    return (int) result;
  }

  /** The kernel shows an accepted socket with the path of its listener. */
  private static Set<String> acceptedSessions(Path directory) throws IOException {
    return Files.readAllLines(Path.of("/proc/net/unix")).stream()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(w -> w.length == 8 && w[5].equals(CONNECTED))
        .filter(w -> w[7].startsWith(directory.toString()))
        .map(w -> "socket:[" + w[6] + "]")
        .collect(Collectors.toSet());
  }
}
