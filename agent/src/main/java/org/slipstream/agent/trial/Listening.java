package org.slipstream.agent.trial;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Whether a server is ready: one of its processes has a TCP socket that listens. */
final class Listening {
  private static final Path PROCESSES = Path.of("/proc");

  /** {@code TCP_LISTEN}, as {@code /proc/net/tcp} writes it. */
  private static final String STATE = "0A";

  private static final int STATE_WORD = 3;
  private static final int INODE_WORD = 9;

  private Listening() {}

  /** Whether one of these processes listens. */
  static boolean any(Set<Long> pids) {
    return pids.stream().anyMatch(Listening::one);
  }

  private static boolean one(long pid) {
    Path process = PROCESSES.resolve(Long.toString(pid));
    try {
      Set<String> listening = new HashSet<>();
      for (String table : Set.of("tcp", "tcp6")) {
        Path file = process.resolve("net").resolve(table);
        if (Files.exists(file)) {
          listening.addAll(sockets(Files.readString(file)));
        }
      }
      try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
        for (Path descriptor : descriptors) {
          if (listening.contains(Files.readSymbolicLink(descriptor).toString())) {
            return true;
          }
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException e) {
      return false; // it has ended, or closed what was looked at
    }
  }

  /** The names of the sockets of a table that listen, as links of descriptors show them. */
  static Set<String> sockets(String table) {
    Set<String> names = new HashSet<>();
    for (String line : table.split("\n", -1)) {
      String[] words = line.strip().split("\\s+", -1);
      if (words.length > INODE_WORD && words[STATE_WORD].equals(STATE)) {
        names.add("socket:[" + words[INODE_WORD] + "]");
      }
    }
    return names;
  }
}
