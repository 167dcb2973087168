package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Cuts the sessions of a process from outside while it lives: borrows their sockets and shuts them
 * down, so that both ends see the end of the session.
 */
final class SessionKnife {
  private static final String CONNECTED = "03";

  private SessionKnife() {}

  /** Whether any process has a session with a process. */
  static boolean hasSessions(long pid, Path directory) throws IOException {
    return !BorrowedSocket.numbers(pid, acceptedSessions(directory)).isEmpty();
  }

  /** Cuts the sessions that others, and it itself, have made with a process. */
  static void cutAll(long pid, Path directory) throws IOException {
    List<BorrowedSocket> sessions = BorrowedSocket.of(pid, acceptedSessions(directory));
    assertThat(sessions).as("sessions of process %s", pid).isNotEmpty();
    for (BorrowedSocket session : sessions) {
      session.shutdown();
      session.close();
    }
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
