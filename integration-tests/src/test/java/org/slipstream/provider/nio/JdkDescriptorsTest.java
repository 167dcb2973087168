package org.slipstream.provider.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.identity.SegmentCopies;

/** A connection is readable exactly when a blocking read of it returns at once. */
@Timeout(120)
class JdkDescriptorsTest {
  private final Descriptors descriptors = JdkDescriptors.reached();
  private SocketChannel tcp;
  private SocketChannel peer;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      tcp = SocketChannel.open(listener.getLocalAddress());
      peer = listener.accept();
    }
  }

  @AfterEach
  void close() throws IOException {
    tcp.close();
    peer.close();
  }

  private void awaitReadable() {
    await().until(() -> descriptors.isReadable(tcp));
  }

  private int read() throws IOException {
    return tcp.read(ByteBuffer.allocate(1));
  }

  @Test
  void byBytes() throws IOException {
    isReadableByBytes();
  }

  private void isReadableByBytes() throws IOException {
    assertThat(descriptors.isReadable(tcp)).isFalse();
    peer.write(ByteBuffer.allocate(1));
    awaitReadable();
    assertThat(read()).isOne();
    assertThat(descriptors.isReadable(tcp)).isFalse();
  }

  @Test
  void byTheEnd() throws IOException {
    peer.shutdownOutput();
    awaitReadable();
    assertThat(read()).isNegative();
    assertThat(descriptors.isReadable(tcp)).isTrue();
  }

  @Test
  void byAReset() throws IOException {
    peer.setOption(StandardSocketOptions.SO_LINGER, 0);
    peer.close();
    awaitReadable();
  }

  /** With which {@code poll} and {@code epoll} say that the socket has an error. */
  @Test
  void notByACopyOfASegment() throws IOException {
    int descriptor = descriptors.number(tcp);
    SegmentCopies.show(descriptor, true);
    tcp.write(ByteBuffer.allocate(1));
    SegmentCopies.show(descriptor, false);
    try (Selector selector = Selector.open()) {
      tcp.configureBlocking(false).register(selector, SelectionKey.OP_READ);
      assertThat(selector.select()).as("the copy is there").isOne();
      assertThat(read()).isZero();
    }
    tcp.configureBlocking(true);
    assertThat(descriptors.isReadable(tcp)).isFalse();
    isReadableByBytes();
  }
}
