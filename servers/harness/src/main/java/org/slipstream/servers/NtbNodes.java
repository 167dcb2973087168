package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Nodes of the loopback SISCI library: each server is one, and all clients are another. Two
 * processes of one node would not meet over NTB, so servers that talk to each other need addresses
 * of their own: {@link Run#address}.
 */
final class NtbNodes {
  private static final int CLIENTS = 4;

  /** Node ids are multiples of four. */
  private static final int STEP = 4;

  /** As many servers as any row has, and some more. */
  private static final int MOST_SERVERS = 8;

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
    StringBuilder hosts = new StringBuilder();
    hosts.append("127.0.0.1 ").append(node(0)).append("@0\n");
    hosts.append("::1 ").append(node(0)).append("@0\n");
    for (int server = 0; server < MOST_SERVERS; server++) {
      hosts.append(address(server)).append(' ').append(node(server)).append("@0\n");
    }
    Files.writeString(directory.resolve("hosts"), hosts);
    return new NtbNodes(library, directory);
  }

  private static int node(int server) {
    return CLIENTS + STEP * (server + 1);
  }

  /** Where a server listens, counted from 0: the last number is that of its node. */
  static String address(int server) {
    return "127.0.0." + node(server);
  }

  /** Words before the java command of a server, counted from 0, or of a client: -1. */
  List<String> environment(int server) {
    return List.of(
        "env",
        "SISCI_LOOPBACK_DIR=" + directory,
        "SISCI_LOOPBACK_NODES=" + (server < 0 ? CLIENTS : node(server)));
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
