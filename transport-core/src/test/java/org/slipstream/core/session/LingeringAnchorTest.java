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

/** The last moments of an anchor, between two kernel sockets. */
@Timeout(240)
class LingeringAnchorTest {
  private static final int UNSENT = 4 * 1024 * 1024;

  private static final byte[] MARK = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final LateControlBytes late = LateControlBytes.onTcp(ByteBuffer.wrap(MARK));
  private ControlThread control;
  private SocketChannel anchor;
  private SocketChannel peer;

  @BeforeEach
  void connect() throws IOException {
    control = new ControlThread(Selector.open());
    control.start();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      peer = SocketChannel.open(listener.getLocalAddress());
      anchor = listener.accept();
    }
    anchor.configureBlocking(false);
  }

  @AfterEach
  void close() throws Exception {
    anchor.close();
    peer.close();
    control.stop();
  }

  /** Raw bytes that the peer's kernel has not even taken, then FIN. */
  private int leaveUnsentBytes() throws IOException {
    ByteBuffer raw = ByteBuffer.allocate(UNSENT);
    int sent = 0;
    int n;
    while ((n = anchor.write(raw)) > 0) {
      sent += n;
    }
    anchor.shutdownOutput();
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
    LingeringAnchor.keep(anchor, null, late, control);
    peer.write(ByteBuffer.wrap(MARK));
    assertThat(readToTheEnd()).isEqualTo(sent);
    assertThat(anchor.isOpen()).as("until the peer's end").isTrue();
    peer.close();
    await().atMost(Duration.ofSeconds(60)).until(() -> !anchor.isOpen());
  }

  @Test
  void octetsThatNobodyCanTakeCostNoByteEither() throws Exception {
    int sent = leaveUnsentBytes();
    peer.write(ByteBuffer.allocate(1));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> anchor.socket().getInputStream().available() == 1);
    anchor.shutdownInput();
    LingeringAnchor.keep(anchor, null, late, control);
    assertThat(readToTheEnd()).isEqualTo(sent);
    await().atMost(Duration.ofSeconds(60)).until(() -> !anchor.isOpen());
  }

  @Test
  void theKernelAloneWouldHaveDroppedThem() throws Exception {
    int sent = leaveUnsentBytes();
    peer.write(ByteBuffer.allocate(16));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> anchor.socket().getInputStream().available() == 16);
    anchor.close();
    assertThatThrownBy(() -> assertThat(readToTheEnd()).isNotEqualTo(sent))
        .isInstanceOf(IOException.class);
  }

  /** However little it is: the peer's next write has to fail, as behind any close. */
  @Test
  void dataIsAnsweredWithAReset() throws Exception {
    anchor.shutdownOutput();
    LingeringAnchor.keep(anchor, null, late, control);
    peer.write(ByteBuffer.wrap(new byte[] {'!'}));
    await().atMost(Duration.ofSeconds(60)).until(() -> !anchor.isOpen());
    assertThatThrownBy(() -> peer.write(ByteBuffer.wrap(new byte[] {'!'})))
        .isInstanceOf(IOException.class);
  }
}
