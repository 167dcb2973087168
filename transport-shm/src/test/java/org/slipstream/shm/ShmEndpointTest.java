package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.ProcessId;

/** What an endpoint says when there is no directory to search. */
class ShmEndpointTest {
  private static final InetSocketAddress PEER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

  @TempDir Path temp;

  @Test
  void aStreamThatIsOfferedWhileTheProcessEndsIsNoReasonToWarn() throws IOException {
    try (HandHost host = new HandHost(temp.resolve("r"), new ProcessId(1, 1))) {
      ShmEndpoint endpoint = new ShmEndpoint(host);
      endpoint.close();
      assertThat(endpoint.findPeers(PEER, session -> {}, () -> {})).isZero();
      assertThat(host.warnings).isEmpty();
    }
  }

  @Test
  void aDirectoryThatCanNotBeMadeIs() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    try (HandHost host = new HandHost(file.resolve("r"), new ProcessId(1, 1))) {
      ShmEndpoint endpoint = new ShmEndpoint(host);
      assertThat(endpoint.findPeers(PEER, session -> {}, () -> {})).isZero();
      assertThat(host.warnings).hasSize(1);
      endpoint.close();
    }
  }
}
