package org.slipstream.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the kernel sees Slipstream in a process. A JVM keeps the jar of its agent open, and does
 * not map it; so an agent that an environment variable has added shows, too.
 */
final class Traces {
  /** Of a process that has it by {@code -javaagent}. */
  static final List<String> OF_AGENT = List.of("cmdline", "fd");

  private static final String JAR = "slipstream.jar";

  private Traces() {}

  /**
   * Looks for the jar.
   *
   * @param process its id, or {@code self}
   * @return the files under {@code /proc/PROCESS} that name it; none without Slipstream
   * @throws IOException if it is gone
   */
  static List<String> of(String process) throws IOException {
    Path proc = Path.of("/proc", process);
    List<String> found = new ArrayList<>();
    if (Files.readString(proc.resolve("cmdline"), StandardCharsets.ISO_8859_1).contains(JAR)) {
      found.add("cmdline");
    }
    if (open(proc.resolve("fd"))) {
      found.add("fd");
    }
    return found;
  }

  private static boolean open(Path descriptors) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
      for (Path descriptor : all) {
        try {
          if (Files.readSymbolicLink(descriptor).endsWith(JAR)) {
            return true;
          }
        } catch (NoSuchFileException e) {
          // It was closed meanwhile.
        }
      }
      return false;
    }
  }
}
