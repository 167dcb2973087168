package org.slipstream.ntb;

import static org.slipstream.transport.ClusterKey.TRUSTED;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;
import org.slipstream.transport.Transport;

/** The contract between core and backends, over a file that two nodes map. */
class FileConformanceTest extends TransportConformance {
  private static final long BYTES = 256L << 20;

  @TempDir private Path directory;

  /** Two nodes; the host's own addresses are those of the one that accepts. */
  static final class Window implements Backend {
    private final Path hosts;

    Window(Path directory) throws IOException {
      Path file = Files.createTempFile(directory, "window", "");
      try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
        f.setLength(BYTES);
      }
      hosts =
          Files.writeString(
              directory.resolve(file.getFileName() + "-hosts"),
              "127.0.0.1 2@%1$s%n::1 2@%1$s%n127.0.0.2 1@%1$s%n".formatted(file));
    }

    private NtbTransport node(String node) {
      return new NtbTransport(
          new NtbSettings(hosts.toString(), "none", TRUSTED, "off", "commit", node, "64m"));
    }

    @Override
    public Transport client() {
      return node("1");
    }

    @Override
    public Transport server() {
      return node("2");
    }
  }

  @Override
  protected Backend backend() {
    try {
      return new Window(Files.createTempDirectory(directory, "nodes"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
