package org.slipstream.shm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The user id that the kernel shows, in a user namespace, in the place of each user that has no id
 * there: of as many different users as there are. A user that has this id itself can not tell those
 * from himself.
 */
final class OverflowUser {
  private static final Path ID = Path.of("/proc/sys/kernel/overflowuid");
  private static final Path MAP = Path.of("/proc/self/uid_map");

  /** User ids in the first namespace: all but -1. */
  private static final long ALL = (1L << 32) - 1;

  private OverflowUser() {}

  /**
   * Whether this process can not tell its own user from others.
   *
   * @return one sentence; null if it can
   */
  static @Nullable String ambiguity() {
    try {
      int own = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      return ambiguity(own, overflowId(), Files.readAllLines(MAP));
    } catch (IOException | NumberFormatException e) {
      return null; // a kernel without user namespaces
    }
  }

  /** In one read: a second one, from behind the first digit, finds the end of such a file. */
  private static int overflowId() throws IOException {
    byte[] text = new byte[32];
    try (InputStream in = Files.newInputStream(ID)) {
      int n = in.read(text);
      return Integer.parseInt(new String(text, 0, Math.max(n, 0), US_ASCII).strip());
    }
  }

  /**
   * As the other one.
   *
   * @param map lines of {@code /proc/self/uid_map}: first id inside, first id outside, how many
   */
  static @Nullable String ambiguity(int own, int overflow, List<String> map) {
    if (own != overflow) {
      return null;
    }
    long mapped = 0;
    for (String line : map) {
      mapped += Long.parseLong(line.strip().split("\\s+", -1)[2]);
    }
    return mapped >= ALL
        ? null
        : "user "
            + own
            + " stands for every unmapped user in this user namespace, so it is unknown whose memory"
            + " it would be; run as another user";
  }
}
