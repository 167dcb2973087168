package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory where the processes of one run meet. */
final class Runs {
  private Runs() {}

  static Path directory() throws IOException {
    return Files.createTempDirectory(Path.of("/dev/shm"), "slipstream-bench-");
  }

  /** Deletes it with all that is in it. */
  static void delete(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      return; // a child that was killed leaves as it likes
    }
  }
}
