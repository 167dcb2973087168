package org.slipstream.agent.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Calls of {@code read} and {@code write}, by which the JDK's sockets and files move bytes, of this
 * process and of its children that have ended and were waited for: the kernel adds them up in
 * {@code /proc/self/io}. Those of {@code recv} and {@code send}, which native code may use, are not
 * among them.
 *
 * @param reads that began so far
 * @param writes that began so far
 */
public record KernelCalls(long reads, long writes) {
  private static final Path IO = Path.of("/proc/self/io");
  private static final KernelCalls UNKNOWN = new KernelCalls(-1, -1);

  /**
   * Those so far.
   *
   * @return not {@linkplain #areKnown known} where the kernel does not count them
   * @throws IOException the file can not be read
   */
  public static KernelCalls soFar() throws IOException {
    try {
      return parse(Files.readString(IO));
    } catch (NoSuchFileException e) {
      return UNKNOWN;
    }
  }

  static KernelCalls parse(String io) throws IOException {
    return new KernelCalls(number(io, "syscr: "), number(io, "syscw: "));
  }

  private static long number(String io, String name) throws IOException {
    String line =
        io.lines()
            .filter(l -> l.startsWith(name))
            .findFirst()
            .orElseThrow(() -> new IOException(IO + " can not be read: " + io));
    return Long.parseLong(line.substring(name.length()));
  }

  /**
   * Whether they were counted.
   *
   * @return false on a kernel that does not
   */
  public boolean areKnown() {
    return reads >= 0;
  }

  /**
   * What was called since.
   *
   * @param before an earlier one, which is known if this is
   * @return the difference
   */
  public KernelCalls since(KernelCalls before) {
    return areKnown() ? new KernelCalls(reads - before.reads, writes - before.writes) : UNKNOWN;
  }
}
