package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.SelfSigned;
import org.slipstream.testkit.Tape;

/** TLS on top of a stream, in blocking mode and with selectors. */
public abstract class TlsContract extends NioContract {

  private static final int VOLUME = 1_500_000;

  /** Nothing is opened yet. */
  protected TlsContract() {}

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void tlsWorksInBlockingMode(String protocol) throws Exception {
    Pair pair = net().settledPair();

    assertTlsWorks(protocol, withoutDelay(pair.client()), withoutDelay(pair.server()));
  }

  @Test
  void tlsWorksFromTheFirstByteOfAFreshStream() throws Exception {
    Pair pair = net().freshPair();

    assertTlsWorks("TLSv1.3", withoutDelay(pair.client()), withoutDelay(pair.server()));
  }

  @Test
  void tlsWorksWithSelectors() throws Exception {
    Pair pair = net().settledNonBlockingPair();

    assertTlsWorks(
        "TLSv1.3",
        new SelectingChannel(withoutDelay(pair.client()), net().selector()),
        new SelectingChannel(withoutDelay(pair.server()), net().selector()));
  }

  private static void assertTlsWorks(String protocol, ByteChannel client, ByteChannel server)
      throws Exception {
    Background<@Nullable Void> serving =
        Background.run(() -> {
          TlsEnd end = new TlsEnd(engine(protocol, false), server);
          end.handshake();
          ByteBuffer chunk = ByteBuffer.allocate(10_000);
          while (end.read(chunk.clear()) >= 0) {
            end.write(chunk.flip());
          }
          end.close();
        });

    TlsEnd end = new TlsEnd(engine(protocol, true), client);
    end.handshake();
    Tape sent = new Tape(1);
    Tape received = new Tape(1);
    ByteBuffer chunk = ByteBuffer.allocate(50_000);
    while (received.position() < VOLUME) {
      end.write(sent.next((int) Math.min(30_000, VOLUME - sent.position())));
      while (received.position() < sent.position()) {
        assertThat(end.read(chunk.clear())).isPositive();
        received.verify(chunk.flip());
      }
    }
    end.close();
    assertThat(end.read(chunk.clear())).isEqualTo(-1);
    serving.result();
  }

  private static SocketChannel withoutDelay(SocketChannel channel) throws IOException {
    return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private static SSLEngine engine(String protocol, boolean client) throws Exception {
    SSLEngine engine = SelfSigned.context().createSSLEngine("localhost", 443);
    engine.setUseClientMode(client);
    engine.setEnabledProtocols(new String[] {protocol});
    return engine;
  }

  /** Makes a non-blocking channel wait, by a selector of its own. */
  private record SelectingChannel(SocketChannel channel, Selector selector) implements ByteChannel {

    @Override
    public int read(ByteBuffer target) throws IOException {
      int n = channel.read(target);
      while (n == 0) {
        await(SelectionKey.OP_READ);
        n = channel.read(target);
      }
      return n;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      int n = channel.write(source);
      if (n == 0 && source.hasRemaining()) {
        await(SelectionKey.OP_WRITE);
      }
      return n;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }

    private void await(int operation) throws IOException {
      channel.register(selector, operation);
      int n = selector.select(Background.DEADLINE.toMillis());
      selector.selectedKeys().clear();
      assertThat(n).isEqualTo(1);
    }
  }
}
