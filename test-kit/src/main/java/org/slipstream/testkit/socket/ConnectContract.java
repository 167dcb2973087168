package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.ThreadKind;

/** Connecting, and what a socket knows of itself before, during and after. */
public abstract class ConnectContract extends SocketContract {

  /** Nothing is opened yet. */
  protected ConnectContract() {}

  @Test
  void anUnconnectedSocketKnowsThatItIsNothingYet() throws Exception {
    Socket socket = open();

    assertThat(socket.isBound()).isFalse();
    assertThat(socket.isConnected()).isFalse();
    assertThat(socket.isClosed()).isFalse();
    assertThat(socket.getChannel()).isNull();
    assertThat(socket.getInetAddress()).isNull();
    assertThat(socket.getPort()).isZero();
    assertThat(socket.getLocalPort()).isEqualTo(-1);
    assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
    assertThat(socket.getRemoteSocketAddress()).isNull();
    assertThat(socket.getLocalSocketAddress()).isNull();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getInputStream)
        .withMessage("Socket is not connected");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getOutputStream)
        .withMessage("Socket is not connected");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::shutdownInput)
        .withMessage("Socket is not connected");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::shutdownOutput)
        .withMessage("Socket is not connected");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.sendUrgentData(1))
        .withMessage("Not connected");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10_000})
  void bothEndsKnowEachOther(int timeout) throws Exception {
    ServerSocket listener = listen();
    Socket client = open();

    client.connect(addressOf(listener), timeout);

    Socket server = closing(listener.accept());
    assertThat(client.isBound()).isTrue();
    assertThat(client.isConnected()).isTrue();
    assertThat(client.getChannel()).isNull();
    assertThat(server.getChannel()).isNull();
    assertThat(client.getPort()).isEqualTo(listener.getLocalPort());
    assertThat(client.getRemoteSocketAddress()).isEqualTo(addressOf(listener));
    assertThat(client.getLocalPort()).isEqualTo(server.getPort());
    assertThat(server.getLocalPort()).isEqualTo(listener.getLocalPort());
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
    assertThat(server.getInetAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(server.getLocalAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(client.toString()).contains("port=" + client.getPort());
    talk(settle(new Ends(client, server)));
  }

  @Test
  void theLocalAddressMayBeChosen() throws Exception {
    ServerSocket listener = listen();
    Socket client = open();

    client.bind(Network.anyPort());
    int port = client.getLocalPort();
    assertThat(client.isBound()).isTrue();
    assertThat(port).isPositive();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> client.bind(Network.anyPort()))
        .withMessage("Already bound");
    client.connect(addressOf(listener));

    assertThat(client.getLocalPort()).isEqualTo(port);
    assertThat(closing(listener.accept()).getPort()).isEqualTo(port);
  }

  @Test
  void anAddressInUseCanNotBeChosen() throws Exception {
    ServerSocket listener = listen();

    assertThatExceptionOfType(BindException.class)
        .isThrownBy(() -> open().bind(addressOf(listener)))
        .withMessage("Address already in use");
    assertThatExceptionOfType(BindException.class)
        .isThrownBy(() -> openServer().bind(addressOf(listener)));
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> open().bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
        .withMessage("Unresolved address");
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedConnectionClosesTheSocket(ThreadKind kind) throws Exception {
    for (int timeout : new int[] {0, 5_000}) {
      InetSocketAddress dead = deadAddress();
      Socket socket = open();

      Throwable failure = Background.run(kind, () -> socket.connect(dead, timeout)).failure();

      assertThat(failure)
          .isExactlyInstanceOf(ConnectException.class)
          .hasMessage("Connection refused");
      assertThat(socket.isClosed()).isTrue();
      assertThat(socket.isConnected()).isFalse();
      assertThatExceptionOfType(SocketException.class)
          .isThrownBy(() -> socket.connect(dead))
          .withMessage("Socket is closed");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aConnectThatTimesOutClosesTheSocket(ThreadKind kind) throws Exception {
    FullListener listener = closing(new FullListener(carrier()));
    Socket socket = open();
    long start = System.nanoTime();

    Throwable failure =
        Background.run(kind, () -> socket.connect(listener.address(), 150)).failure();

    assertThat(failure)
        .isExactlyInstanceOf(SocketTimeoutException.class)
        .hasMessage("Connect timed out");
    assertThat((System.nanoTime() - start) / 1_000_000).isGreaterThanOrEqualTo(145);
    assertThat(socket.isClosed()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aPendingConnectEndsWithTheSocket(ThreadKind kind) throws Exception {
    for (int timeout : new int[] {0, 60_000}) {
      FullListener listener = closing(new FullListener(carrier()));
      Socket socket = open();
      Background<@Nullable Void> connecting =
          Background.run(kind, () -> socket.connect(listener.address(), timeout)).awaitBlocked();

      socket.close();

      assertThat(connecting.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessageMatching("(?i)(Socket closed|Socket is closed|Closed by interrupt)");
      assertThat(socket.isClosed()).isTrue();
    }
  }

  @Test
  void aPendingConnectSucceedsWhenThereIsRoom() throws Exception {
    FullListener listener = closing(new FullListener(carrier()));
    Socket socket = open();
    Background<@Nullable Void> connecting =
        Background.run(() -> socket.connect(listener.address(), 14_000)).awaitBlocked();

    listener.makeRoom();

    connecting.result();
    assertThat(socket.isConnected()).isTrue();
    closing(listener.accept());
  }

  @Test
  void anUnresolvedAddressClosesTheSocket() throws Exception {
    Socket socket = open();

    assertThatExceptionOfType(UnknownHostException.class)
        .isThrownBy(
            () -> socket.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 80), 5_000))
        .withMessage("nowhere.invalid");

    assertThat(socket.isClosed()).isTrue();
  }

  @Test
  void misuseIsRefused() throws Exception {
    Ends ends = settledPair();
    Socket fresh = open();

    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().connect(Network.anyPort()))
        .withMessage("Already connected");
    assertThatIllegalArgumentException().isThrownBy(() -> fresh.connect(nothing()));
    assertThatIllegalArgumentException().isThrownBy(() -> fresh.connect(Network.anyPort(), -1));
    assertThat(fresh.isClosed()).isFalse();
    talk(ends);
  }

  @Test
  void theWildcardMeansThisHost() throws Exception {
    ServerSocket listener = openServer();
    listener.bind(new InetSocketAddress(0));
    Socket client = open();

    client.connect(new InetSocketAddress("0.0.0.0", listener.getLocalPort()));

    Socket server = closing(listener.accept());
    assertThat(client.getPort()).isEqualTo(listener.getLocalPort());
    assertThat(server.getPort()).isEqualTo(client.getLocalPort());
    talk(new Ends(client, server));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1"})
  void bothFamiliesOfAddressesWork(String host) throws Exception {
    ServerSocket listener = openServer();
    listener.bind(new InetSocketAddress(0));
    Socket client = open();

    client.connect(new InetSocketAddress(host, listener.getLocalPort()));

    Socket server = closing(listener.accept());
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
    assertThat(server.getLocalSocketAddress()).isEqualTo(client.getRemoteSocketAddress());
    talk(settle(new Ends(client, server)));
  }

  @Test
  void aSocketThatIsClosedBeforeItIsConnectedStaysClosed() throws Exception {
    Socket socket = open();
    socket.close();
    socket.close();

    assertThat(socket.isClosed()).isTrue();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.connect(deadAddress()))
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.bind(Network.anyPort()))
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getSoTimeout)
        .withMessage("Socket is closed");
  }
}
