package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** A process looks for a peer that never answers, and forgets the stream when it is closed. */
class SoughtStreamsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Searches everywhere and finds no peer, yet. */
  private static final class Lonely extends FakeEndpoint implements Transport {
    @Override
    public String name() {
      return "ntb";
    }

    @Override
    public Availability availability() {
      return Availability.yes("here");
    }

    @Override
    public Endpoint open(TransportHost host) {
      return this;
    }

    @Override
    public boolean mayFindLater(InetSocketAddress remote) {
      return true;
    }
  }

  @Test
  void aClosedStreamIsNotSoughtAnyMore() throws Exception {
    SlipstreamCore core =
        SlipstreamCore.start(
            SlipstreamConfig.read(new Properties()),
            SelectorProvider.provider(),
            channel -> true,
            null,
            List.of(new Lonely()));
    try (FakeProcess scope = new FakeProcess();
        ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel tcp = SocketChannel.open(listener.getLocalAddress());
      Stream stream = core.connecting(tcp, scope);
      core.connected(stream);
      stream.write(ByteBuffer.allocate(1), true);
      stream.write(ByteBuffer.allocate(1), true);
      await().atMost(PATIENCE).until(() -> stream.reason() == Reason.PEER_NOT_ACCELERATED);
      await().atMost(PATIENCE).until(() -> core.census()[4] == 1);
      stream.close(true);
      CountDownLatch done = new CountDownLatch(1);
      core.reactor().execute(done::countDown); // behind what the close has asked for
      assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(core.census()).containsOnly(0);
    } finally {
      core.stop();
    }
  }
}
