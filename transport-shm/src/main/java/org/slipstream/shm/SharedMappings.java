package org.slipstream.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which files a process has mapped, as {@code /proc/PID/maps} shows it: a process that has mapped a
 * slab of a session is the peer of that session. Only processes of the same user may be asked.
 *
 * <pre>
 *   7f0c1a000000-7f0c1b000000 rw-s 00000000 00:19 1234      /run/user/1000/slipstream/.../slab-0 (deleted)
 *   from-to                   mode offset   dev   inode     path
 * </pre>
 */
final class SharedMappings {
  private static final String DELETED = " (deleted)";
  private static final int DEVICE = 3;
  private static final int INODE = 4;
  private static final int PATH = 5;

  private SharedMappings() {}

  /** Whether another process has mapped one of the files that we have mapped. */
  static boolean isShared(long pid, Predicate<String> path) throws IOException {
    Set<String> ours = files(read("self"), path);
    return !ours.isEmpty() && files(read(Long.toString(pid)), any -> true).removeIf(ours::contains);
  }

  private static List<String> read(String process) throws IOException {
    return Files.readAllLines(Path.of("/proc", process, "maps"));
  }

  /** Device and inode of the files that are mapped shared, by their paths. */
  static Set<String> files(List<String> maps, Predicate<String> path) {
    Set<String> files = new HashSet<>();
    for (String line : maps) {
      String[] parts = line.split(" +", PATH + 1);
      if (parts.length > PATH && parts[1].endsWith("s") && path.test(named(parts[PATH]))) {
        files.add(parts[DEVICE] + " " + parts[INODE]);
      }
    }
    return files;
  }

  /** The last two names of a path; the kernel resolves links on the way there. */
  static String name(String path) {
    int last = path.lastIndexOf('/');
    return path.substring(path.lastIndexOf('/', last - 1) + 1);
  }

  private static String named(String path) {
    return path.endsWith(DELETED) ? path.substring(0, path.length() - DELETED.length()) : path;
  }
}
