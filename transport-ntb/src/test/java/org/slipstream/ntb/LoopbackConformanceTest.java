package org.slipstream.ntb;

import static org.slipstream.transport.ClusterKey.TRUSTED;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slipstream.ntb.sisci.NativeTestLibrary;
import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;
import org.slipstream.transport.Transport;

/**
 * The contract between core and backends, over a loopback SISCI library whose stores stay invisible
 * until they are flushed: a flush that is missing is a word that is not there.
 */
class LoopbackConformanceTest extends TransportConformance {

  /** This process as two nodes, 4 and 8; all addresses of this host are those of node 8. */
  private static final class Nodes implements Backend {
    private final Path hosts;
    private final String library;

    Nodes() throws Throwable {
      NativeTestLibrary natives = NativeTestLibrary.of("loopback");
      Path directory =
          Path.of("target", "loopback-worlds", "loopback-" + ProcessHandle.current().pid());
      Files.createDirectories(directory);
      natives.configure(directory.toAbsolutePath(), "4,8", true);
      library = natives.path();
      hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.1 8@0\n::1 8@0\n");
    }

    private NtbTransport transport() {
      return new NtbTransport(
          new NtbSettings(hosts.toString(), library, TRUSTED, "off", "commit", null, "1g"));
    }

    @Override
    public Transport client() {
      return transport();
    }

    @Override
    public Transport server() {
      return transport();
    }

    /** The double compares all that is mapped at each flush. */
    @Override
    public int ringBytes() {
      return 16 * 1024;
    }
  }

  @Override
  protected Backend backend() {
    try {
      return new Nodes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
