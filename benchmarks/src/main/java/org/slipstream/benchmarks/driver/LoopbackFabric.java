package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two nodes on this host, by the loopback SISCI library that the build makes: the server is node 8
 * and the client node 4. Its memory is ordinary memory, so it shows what our code costs and nothing
 * about boards.
 */
final class LoopbackFabric implements AutoCloseable {
  private static final String PROPERTY = "slipstream.ntb.library";

  private final Path library;
  private final Path directory;

  private LoopbackFabric(Path library, Path directory) {
    this.library = library;
    this.directory = directory;
  }

  /** Takes the library that the property names, or the one of the source tree of the agent. */
  static LoopbackFabric open(Path slipstreamJar) throws BenchmarkFailure {
    String named = System.getProperty(PROPERTY);
    Path library =
        named != null
            ? Path.of(named)
            : slipstreamJar
                .resolve("../../../transport-ntb/target/loopback/libsisci-loopback.so")
                .normalize();
    if (!Files.isRegularFile(library)) {
      throw new BenchmarkFailure(
          "The ntb row needs the loopback SISCI library, and there is no "
              + library
              + ": build it with a C compiler, or name one with -D"
              + PROPERTY
              + "=FILE.");
    }
    try {
      Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "slipstream-ntb-");
      Files.writeString(directory.resolve("hosts"), "127.0.0.1 8@0\n::1 8@0\n");
      return new LoopbackFabric(library.toAbsolutePath(), directory);
    } catch (IOException full) {
      throw new BenchmarkFailure("No fabric: " + full.getMessage(), full);
    }
  }

  /** What comes before the java command. */
  List<String> environment(String role) {
    return List.of(
        "env",
        "SISCI_LOOPBACK_DIR=" + directory,
        "SISCI_LOOPBACK_NODES=" + (role.equals("server") ? 8 : 4));
  }

  /** Arguments of the JVM. */
  List<String> flags() {
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-Dslipstream.transports=ntb", // what is on a ring is on this one
        "-Dslipstream.ntb.hosts=" + directory.resolve("hosts"),
        "-Dslipstream.ntb.library=" + library,
        "-Dslipstream.ntb.key=trusted");
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      System.err.println("Left behind: " + directory);
    }
  }
}
