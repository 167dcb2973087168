package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.SlipstreamCarrier;

/** What the counters say of a stream that only a selector waits for. */
class SelectorCountersTest {
  private static final int MESSAGES = 10;

  @Test
  void aLookThatFindsTheStreamReadyCountsAsASpin() throws IOException {
    SlipstreamCarrier carrier =
        new SlipstreamCarrier("shm", new Properties(), List.of(new ShmTransport()));
    try (Network net = new Network(carrier)) {
      Pair pair = net.settledPair().configureBlocking(false);
      try (Selector selector = carrier.provider().openSelector()) {
        pair.server().register(selector, SelectionKey.OP_READ);
        StreamStatus before = status(pair.server());
        for (int i = 0; i < MESSAGES; i++) {
          exchange(pair, selector);
        }
        StreamStatus after = status(pair.server());
        assertThat(after.in().get(Counter.MESSAGES) - before.in().get(Counter.MESSAGES))
            .isEqualTo(MESSAGES);
        assertThat(after.in().get(Counter.SPINS)).isGreaterThan(before.in().get(Counter.SPINS));
      }
    }
  }

  /** The data has come before the selector looks: a hot stream is found without the kernel. */
  private static void exchange(Pair pair, Selector selector) throws IOException {
    pair.client().write(ByteBuffer.allocate(1));
    assertThat(selector.select()).isEqualTo(1);
    selector.selectedKeys().clear();
    assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(1);
  }

  private static StreamStatus status(SocketChannel channel) {
    return Objects.requireNonNull(Installation.status(channel));
  }
}
