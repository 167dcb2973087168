package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketOwnerTest {
  // Short: the path of a Unix-domain socket has at most 107 bytes.
  @TempDir Path temp;

  /** In {@code /proc} the process that asks is also called {@code self}, and that comes first. */
  @Test
  void aSocketOfThisProcessHasItsNumber() throws IOException {
    Path socket = temp.resolve("ctl");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      assertThat(SocketOwner.of(socket)).isEqualTo(ProcessHandle.current().pid());
    }
    assertThat(SocketOwner.of(socket)).isZero();
  }
}
