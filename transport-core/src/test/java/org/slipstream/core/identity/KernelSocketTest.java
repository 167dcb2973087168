package org.slipstream.core.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Linux tells, by the numbers that it gives the sockets of this process. */
class KernelSocketTest {
  private static final long LONGEST_MICROS = 60_000_000;

  private static List<Integer> sockets() throws IOException {
    List<Integer> numbers = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : all) {
        if (isSocket(each)) {
          numbers.add(Integer.parseInt(String.valueOf(each.getFileName())));
        }
      }
    }
    return numbers;
  }

  /** The descriptor of the listing itself is gone by then. */
  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aConnectionHasARoundTrip() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          SocketChannel server = listener.accept()) {
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int i = 0; i < 3; i++) {
          client.write(one.clear());
          server.read(one.clear());
          server.write(one.clear());
          client.read(one.clear());
        }
        assertThat(sockets())
            .map(KernelSocket::roundTripMicros)
            .anyMatch(micros -> micros > 0 && micros < LONGEST_MICROS);
      }
    }
  }

  @Test
  void whatIsNoConnectionHasNone() {
    assertThat(KernelSocket.roundTripMicros(KernelSocket.NONE)).isNegative();
  }
}
