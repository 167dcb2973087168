package org.slipstream.agent.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of the children that have ended and were waited for, with theirs: the kernel adds
 * it up in {@code /proc/self/stat}.
 *
 * @param userMillis in the programs
 * @param systemMillis in the kernel for them
 */
public record CpuTime(long userMillis, long systemMillis) {
  private static final Path STAT = Path.of("/proc/self/stat");

  /** {@code USER_HZ}, which is 100 for programs on every processor. */
  private static final int TICK_MS = 10;

  // Words behind the name of the process, which may have any character in it.
  private static final int CHILDREN_USER = 13;
  private static final int CHILDREN_SYSTEM = 14;

  /**
   * That of all children so far.
   *
   * @return exact to 10 ms
   * @throws IOException there is no {@code /proc}
   */
  public static CpuTime ofChildren() throws IOException {
    return parse(Files.readString(STAT));
  }

  static CpuTime parse(String stat) throws IOException {
    String[] words = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    try {
      return new CpuTime(
          TICK_MS * Long.parseLong(words[CHILDREN_USER]),
          TICK_MS * Long.parseLong(words[CHILDREN_SYSTEM]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IOException(STAT + " can not be read: " + stat, e);
    }
  }

  /**
   * What was spent since.
   *
   * @param before an earlier one
   * @return the difference
   */
  public CpuTime since(CpuTime before) {
    return new CpuTime(userMillis - before.userMillis, systemMillis - before.systemMillis);
  }
}
