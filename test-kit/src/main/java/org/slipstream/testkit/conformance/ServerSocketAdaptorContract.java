package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;

/** A channel that is used as a {@link ServerSocket}. */
public abstract class ServerSocketAdaptorContract extends NioContract {

  /** Nothing is opened yet. */
  protected ServerSocketAdaptorContract() {}

  @Test
  void theSocketOfAListenerIsAlwaysTheSameAndKnowsItsChannel() throws Exception {
    ServerSocketChannel listener = net().openServer();
    ServerSocket socket = listener.socket();

    assertThat(listener.socket()).isSameAs(socket);
    assertThat(socket.getChannel()).isSameAs(listener);
    assertThat(socket.isBound()).isFalse();
    assertThat(socket.isClosed()).isFalse();
    assertThat(socket.getInetAddress()).isNull();
    assertThat(socket.getLocalPort()).isEqualTo(-1);
    assertThat(socket.getLocalSocketAddress()).isNull();
  }

  @Test
  void theSocketBindsItsChannel() throws Exception {
    ServerSocketChannel listener = net().openServer();

    listener.socket().bind(Network.anyPort(), 5);

    assertThat(listener.socket().isBound()).isTrue();
    assertThat(listener.socket().getLocalSocketAddress()).isEqualTo(listener.getLocalAddress());
    assertThat(listener.socket().getLocalPort()).isEqualTo(Network.addressOf(listener).getPort());
    assertThat(listener.socket().getInetAddress())
        .isEqualTo(Network.addressOf(listener).getAddress());
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> listener.socket().bind(Network.anyPort()));
  }

  @Test
  void theSocketAcceptsSocketsThatHaveChannels() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);

    Socket server = net().closing(listener.socket().accept());

    assertThat(server.getChannel()).isNotNull();
    assertThat(server.getChannel().provider()).isSameAs(carrier().provider());
    assertThat(server.getChannel().socket()).isSameAs(server);
    Bytes.exchange(client, server.getChannel(), "via sockets");
  }

  @Test
  void inNonBlockingModeTheSocketAcceptsOnlyWhatIsAlreadyThere() throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(false);

    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> listener.socket().accept());
    SocketChannel client = net().connect(listener);
    Socket server = net().closing(listener.socket().accept());
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalAddress());

    net().connect(listener);
    listener.socket().setSoTimeout(100);
    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> listener.socket().accept());
  }

  @Test
  void anUnboundOrClosedSocketAcceptsNoConnection() throws Exception {
    ServerSocketChannel listener = net().openServer();
    assertThatExceptionOfType(SocketException.class).isThrownBy(() -> listener.socket().accept());

    listener.socket().close();

    assertThat(listener.isOpen()).isFalse();
    assertThat(listener.socket().isClosed()).isTrue();
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> listener.socket().accept());
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> listener.socket().bind(null));
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> listener.socket().getSoTimeout());
  }

  @Test
  void theOldOptionMethodsAreTheOptionsOfTheChannel() throws Exception {
    ServerSocket socket = net().openServer().socket();

    for (boolean on : new boolean[] {false, true}) {
      socket.setReuseAddress(on);
      assertThat(socket.getReuseAddress()).isEqualTo(on);
    }
    socket.setReceiveBufferSize(64 * 1024);
    assertThat(socket.getReceiveBufferSize()).isGreaterThanOrEqualTo(64 * 1024);
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setReceiveBufferSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSoTimeout(-1));
    assertThat(socket.supportedOptions()).isEqualTo(socket.getChannel().supportedOptions());
  }
}
