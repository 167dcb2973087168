package org.slipstream.core.status;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The TCP connections of this process as the kernel knows them, whichever library made them. */
final class TcpConnections {
  private static final String ESTABLISHED = "01";

  /** A server with more descriptors than that is not asked to read about each. */
  private static final int MOST_DESCRIPTORS = 20_000;

  private TcpConnections() {}

  /** How many are established; -1 if that can not be told. */
  static long established() {
    return established(Path.of("/proc/self"));
  }

  /** As {@link #established()}, in a directory that is like {@code /proc/self}. */
  static long established(Path process) {
    try {
      Set<String> own = sockets(process.resolve("fd"));
      long count = 0;
      for (String table : List.of("net/tcp", "net/tcp6")) {
        Path file = process.resolve(table);
        if (Files.exists(file)) {
          for (String line : Files.readAllLines(file)) {
            String[] fields = line.strip().split(" +", 11);
            if (fields.length > 9 && fields[3].equals(ESTABLISHED) && own.contains(fields[9])) {
              count++;
            }
          }
        }
      }
      return count;
    } catch (IOException | RuntimeException e) { // a directory may be gone within the loop
      return -1;
    }
  }

  /** The inode numbers of the sockets among the descriptors. */
  private static Set<String> sockets(Path descriptors) throws IOException {
    Set<String> inodes = new HashSet<>();
    int seen = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
      for (Path descriptor : all) {
        if (++seen > MOST_DESCRIPTORS) {
          throw new IOException("too many descriptors");
        }
        String target = target(descriptor);
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    }
    return inodes;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
