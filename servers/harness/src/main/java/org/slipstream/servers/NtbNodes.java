package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Two nodes of the loopback SISCI library: servers are on one of them, clients on the other. */
final class NtbNodes {
  private static final int SERVERS = 8;
  private static final int CLIENTS = 4;

  private final Path library;
  private final Path directory;

  private NtbNodes(Path library, Path directory) {
    this.library = library;
    this.directory = directory;
  }

  /**
   * Takes the library that the build made, if it found a C compiler.
   *
   * @param agent the jar of the source tree
   * @param directory in shared memory, of this run
   * @throws IOException if there is no library, or no place
   */
  static NtbNodes open(Path agent, Path directory) throws IOException {
    Path library =
        agent.resolve("../../../transport-ntb/target/loopback/libsisci-loopback.so").normalize();
    if (!Files.isRegularFile(library)) {
      throw new IOException("NTB needs " + library + ": build it with a C compiler");
    }
    Files.createDirectory(directory);
    Files.writeString(
        directory.resolve("hosts"), "127.0.0.1 " + SERVERS + "@0\n::1 " + SERVERS + "@0\n");
    return new NtbNodes(library, directory);
  }

  /** Words before the java command of a server, or of a client. */
  List<String> environment(boolean server) {
    return List.of(
        "env",
        "SISCI_LOOPBACK_DIR=" + directory,
        "SISCI_LOOPBACK_NODES=" + (server ? SERVERS : CLIENTS));
  }

  /** Flags of each JVM. */
  List<String> flags() {
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-Dslipstream.transports=ntb",
        "-Dslipstream.ntb.hosts=" + directory.resolve("hosts"),
        "-Dslipstream.ntb.library=" + library,
        "-Dslipstream.ntb.key=trusted");
  }
}
