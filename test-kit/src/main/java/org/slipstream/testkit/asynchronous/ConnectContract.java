package org.slipstream.testkit.asynchronous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Network;

/** Connecting, and what a channel says before and after. */
public abstract class ConnectContract extends AsynchronousContract {

  /** Nothing is opened yet. */
  protected ConnectContract() {}

  @Test
  void aFutureSaysThatTheConnectionIsMade() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    AsynchronousSocketChannel client = open(group());
    assertThat(client.getLocalAddress()).isNull();
    assertThat(client.getRemoteAddress()).isNull();

    Future<Void> connect = client.connect(addressOf(listener));

    assertThat(value(connect)).isNull();
    assertThat(connect.isDone()).isTrue();
    assertThat(client.getRemoteAddress()).isEqualTo(addressOf(listener));
    try (AsynchronousSocketChannel server = value(listener.accept())) {
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
      assertThat(server.getLocalAddress()).isEqualTo(client.getRemoteAddress());
    }
  }

  @Test
  void aHandlerSaysThatTheConnectionIsMade() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    AsynchronousSocketChannel client = open(group());
    Recorder<Void> recorder = new Recorder<>();

    client.connect(addressOf(listener), "attachment", recorder);

    assertThat(recorder.await().failure()).isNull();
    assertThat(recorder.await().value()).isNull();
    assertThat(recorder.await().attachment()).isEqualTo("attachment");
  }

  @Test
  void aRefusedConnectionClosesTheChannel() throws Exception {
    AsynchronousSocketChannel client = open(group());

    assertThat(failure(client.connect(deadAddress()))).isInstanceOf(ConnectException.class);

    assertThat(client.isOpen()).isFalse();
    assertThat(failure(client.connect(deadAddress())))
        .isExactlyInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aRefusedConnectionFailsTheHandler() throws Exception {
    AsynchronousSocketChannel client = open(group());
    Recorder<Void> recorder = new Recorder<>();

    client.connect(deadAddress(), null, recorder);

    assertThat(recorder.failure()).isInstanceOf(ConnectException.class);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void stateIsCheckedAtOnce() throws Exception {
    AsynchronousSocketChannel fresh = open(group());
    assertThatThrownBy(() -> fresh.read(ByteBuffer.allocate(1)))
        .isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> fresh.write(ByteBuffer.allocate(1)))
        .isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(fresh::shutdownInput).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(fresh::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> fresh.connect(InetSocketAddress.createUnresolved("nowhere", 1)))
        .isInstanceOf(UnresolvedAddressException.class);
    assertThat(fresh.isOpen()).isTrue();

    Ends ends = settledPair();
    assertThatThrownBy(() -> ends.client().connect(ends.client().getRemoteAddress()))
        .isInstanceOf(AlreadyConnectedException.class);
    assertThatThrownBy(() -> ends.client().bind(Network.anyPort()))
        .isInstanceOf(AlreadyBoundException.class);
    assertThat(ends.client().isOpen()).isTrue();
  }

  @Test
  void aPendingConnectIsTheOnlyOneAndEndsWithTheChannel() throws Exception {
    try (FullListener full = new FullListener(carrier())) {
      AsynchronousSocketChannel client = open(group());
      Future<Void> pending = client.connect(full.address());
      assertThatThrownBy(() -> client.connect(full.address()))
          .isInstanceOf(ConnectionPendingException.class);
      assertThat(pending.isDone()).isFalse();

      client.close();

      assertThat(failure(pending)).isExactlyInstanceOf(AsynchronousCloseException.class);
    }
  }

  @Test
  void aConnectThatIsCancelledForcefullyClosesTheChannel() throws Exception {
    try (FullListener full = new FullListener(carrier())) {
      AsynchronousSocketChannel client = open(group());
      Future<Void> pending = client.connect(full.address());

      assertThat(pending.cancel(true)).isTrue();

      assertThat(pending.isCancelled()).isTrue();
      assertThat(client.isOpen()).isFalse();
    }
  }

  @Test
  void aClosedChannelSaysSo() throws Exception {
    AsynchronousSocketChannel client = open(group());
    client.close();
    client.close();

    assertThatThrownBy(client::getLocalAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(client::getRemoteAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(client::shutdownInput).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> client.bind(null)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> client.getOption(StandardSocketOptions.SO_RCVBUF))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(failure(client.read(ByteBuffer.allocate(1))))
        .isExactlyInstanceOf(ClosedChannelException.class);
    assertThat(failure(client.write(ByteBuffer.allocate(1))))
        .isExactlyInstanceOf(ClosedChannelException.class);
  }

  @Test
  void optionsAreThoseOfTheJdk() throws Exception {
    AsynchronousSocketChannel client = open(group());
    AsynchronousServerSocketChannel server = openServer(group());

    assertThat(client.supportedOptions())
        .contains(
            StandardSocketOptions.TCP_NODELAY,
            StandardSocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.SO_REUSEADDR)
        .doesNotContain(StandardSocketOptions.SO_LINGER, StandardSocketOptions.IP_TOS);
    assertThat(client.supportedOptions()).noneMatch(o -> o.name().equals("SO_OOBINLINE"));
    assertThat(server.supportedOptions()).contains(StandardSocketOptions.SO_RCVBUF);
    assertThat(client.setOption(StandardSocketOptions.TCP_NODELAY, true)).isSameAs(client);
    assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
    assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_LINGER, 1))
        .isInstanceOf(UnsupportedOperationException.class);
    Ends ends = freshPair();
    ends.client().shutdownOutput();
    assertThatThrownBy(() -> ends.client().setOption(StandardSocketOptions.TCP_NODELAY, true))
        .hasMessage("Connection has been shutdown for writing");
  }
}
