package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.stream.LateControlBytes;

/** The last moments of a TCP connection, between two kernel sockets. */
@Timeout(240)
class LingeringConnectionTest {
  private static final int UNSENT = 4 * 1024 * 1024;

  private static final byte[] MARK = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final LateControlBytes late = LateControlBytes.onTcp(ByteBuffer.wrap(MARK));
  private ControlThread control;
  private SocketChannel tcp;
  private SocketChannel peer;

  @BeforeEach
  void connect() throws IOException {
    control = new ControlThread(Selector.open());
    control.start();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      peer = SocketChannel.open(listener.getLocalAddress());
      tcp = listener.accept();
    }
    tcp.configureBlocking(false);
  }

  @AfterEach
  void close() throws Exception {
    tcp.close();
    peer.close();
    control.stop();
  }

  /** Raw bytes that the peer's kernel has not even taken, then FIN. */
  private int leaveUnsentBytes() throws IOException {
    ByteBuffer raw = ByteBuffer.allocate(UNSENT);
    int sent = 0;
    int n;
    while ((n = tcp.write(raw)) > 0) {
      sent += n;
    }
    tcp.shutdownOutput();
    return sent;
  }

  private long readToTheEnd() throws IOException {
    ByteBuffer sink = ByteBuffer.allocate(64 * 1024);
    long total = 0;
    int n;
    while ((n = peer.read(sink.clear())) >= 0) {
      total += n;
    }
    return total;
  }

  @Test
  void aMarkThatComesAfterTheCloseCostsNoByte() throws Exception {
    int sent = leaveUnsentBytes();
    LingeringConnection.keep(tcp, null, late, control);
    peer.write(ByteBuffer.wrap(MARK));
    assertThat(readToTheEnd()).isEqualTo(sent);
    assertThat(tcp.isOpen()).as("until the peer's end").isTrue();
    peer.close();
    await().atMost(Duration.ofSeconds(60)).until(() -> !tcp.isOpen());
  }

  @Test
  void controlBytesThatNoReaderCanTakeCostNoByteEither() throws Exception {
    int sent = leaveUnsentBytes();
    peer.write(ByteBuffer.allocate(1));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> tcp.socket().getInputStream().available() == 1);
    tcp.shutdownInput();
    LingeringConnection.keep(tcp, null, late, control);
    assertThat(readToTheEnd()).isEqualTo(sent);
    await().atMost(Duration.ofSeconds(60)).until(() -> !tcp.isOpen());
  }

  @Test
  void theKernelAloneWouldHaveDroppedThem() throws Exception {
    int sent = leaveUnsentBytes();
    peer.write(ByteBuffer.allocate(16));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> tcp.socket().getInputStream().available() == 16);
    tcp.close();
    assertThatThrownBy(() -> assertThat(readToTheEnd()).isNotEqualTo(sent))
        .isInstanceOf(IOException.class);
  }

  /** However little it is: the peer's next write has to fail, as behind any close. */
  @Test
  void dataIsAnsweredWithAReset() throws Exception {
    tcp.shutdownOutput();
    LingeringConnection.keep(tcp, null, late, control);
    peer.write(ByteBuffer.wrap(new byte[] {'!'}));
    await().atMost(Duration.ofSeconds(60)).until(() -> !tcp.isOpen());
    assertThatThrownBy(() -> peer.write(ByteBuffer.wrap(new byte[] {'!'})))
        .isInstanceOf(IOException.class);
  }
}
