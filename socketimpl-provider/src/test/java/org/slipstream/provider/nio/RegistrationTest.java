package org.slipstream.provider.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** A channel is registered while another thread closes it. */
class RegistrationTest {
  private final SelectorProvider provider =
      SelectorProviders.of(Installation.create(new Properties(), List.of()));

  /** The close has reached the kernel's channel, and not yet the keys. */
  @Test
  void aChannelWhoseCloseIsUnderWayIsClosedToARegistration() throws Exception {
    try (Selector selector = provider.openSelector();
        SocketChannel channel = provider.openSocketChannel()) {
      channel.configureBlocking(false);
      ((TcpBackedChannel) channel).tcp().close();

      assertThatExceptionOfType(ClosedChannelException.class)
          .isThrownBy(() -> channel.register(selector, SelectionKey.OP_READ));

      assertThat(selector.keys()).isEmpty();
      assertThat(channel.isRegistered()).isFalse();
    }
  }
}
