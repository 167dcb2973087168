package org.slipstream.benchmarks.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class NettyCrowdServerTest {
  @Test
  void echoesOnEachConnection() throws IOException, InterruptedException {
    CountDownLatch accepted = new CountDownLatch(2);
    int port =
        NettyServer.listen(
            new NettyArguments(NettyTransport.NIO, 0, 0, 0, 1),
            new NettyEcho(),
            channel -> accepted.countDown());
    try (Socket one = new Socket(InetAddress.getLoopbackAddress(), port);
        Socket two = new Socket(InetAddress.getLoopbackAddress(), port)) {
      accepted.await();
      echo(two, "second");
      echo(one, "first");
    }
  }

  private static void echo(Socket socket, String text) throws IOException {
    byte[] message = text.getBytes(StandardCharsets.US_ASCII);
    socket.getOutputStream().write(message);
    assertThat(socket.getInputStream().readNBytes(message.length)).isEqualTo(message);
  }
}
