package org.slipstream.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the process that listens at a Unix socket, in what {@code /proc} says. */
final class SocketOwner {
  private static final Path PROC = Path.of("/proc");
  private static final Path SOCKETS = Path.of("/proc/net/unix");

  /** The flags of a socket that listens. */
  private static final String LISTENS = "00010000";

  /** Num RefCount Protocol Flags Type St Inode Path. */
  private static final int FIELDS = 8;

  private static final int FLAGS = 3;
  private static final int INODE = 6;
  private static final int NAME = 7;

  private SocketOwner() {}

  /**
   * Whose socket it is.
   *
   * @param socket where it is found; the kernel says where it was bound
   * @return a process of this user in this network namespace; 0 if there is none
   */
  static long of(Path socket) {
    String bound = socket.resolveSibling(RuntimeDirectory.NEW_SOCKET).toString();
    try {
      for (String line : Files.readAllLines(SOCKETS)) {
        String[] fields = line.split(" +", FIELDS);
        if (fields.length == FIELDS
            && (fields[NAME].equals(bound) || fields[NAME].equals(socket.toString()))
            && fields[FLAGS].equals(LISTENS)) {
          return holder("socket:[" + fields[INODE] + "]");
        }
      }
    } catch (IOException e) {
      // Without /proc there is no telling.
    }
    return 0;
  }

  private static long holder(String link) {
    for (Path process : RuntimeDirectory.children(PROC)) {
      String id = String.valueOf(process.getFileName());
      if (isNumber(id)) { // and not "self", which is the process that asks
        for (Path descriptor : RuntimeDirectory.children(process.resolve("fd"))) {
          if (link.equals(target(descriptor))) {
            return Long.parseLong(id);
          }
        }
      }
    }
    return 0;
  }

  private static boolean isNumber(String name) {
    return name.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile, or not ours
    }
  }
}
