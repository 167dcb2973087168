package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;

/** A channel that is used as a {@link Socket}. */
public abstract class SocketAdaptorContract extends NioContract {

  /** Nothing is opened yet. */
  protected SocketAdaptorContract() {}

  @Test
  void theSocketOfAChannelIsAlwaysTheSame() throws Exception {
    Pair pair = net().settledPair();

    assertThat(pair.client().socket()).isSameAs(pair.client().socket());
    assertThat(pair.client().socket().getChannel()).isSameAs(pair.client());
    assertThat(pair.server().socket().getChannel()).isSameAs(pair.server());
  }

  @Test
  void theSocketOfAnUnconnectedChannelKnowsThatItIsNothingYet() throws Exception {
    Socket socket = net().open().socket();

    assertThat(socket.isBound()).isFalse();
    assertThat(socket.isConnected()).isFalse();
    assertThat(socket.isClosed()).isFalse();
    assertThat(socket.getInetAddress()).isNull();
    assertThat(socket.getPort()).isZero();
    assertThat(socket.getLocalPort()).isEqualTo(-1);
    assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
    assertThat(socket.getRemoteSocketAddress()).isNull();
    assertThat(socket.getLocalSocketAddress()).isNull();
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getInputStream);
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getOutputStream);
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::shutdownInput);
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::shutdownOutput);
  }

  @Test
  void theSocketKnowsTheAddressesOfItsChannel() throws Exception {
    Pair pair = net().settledPair();
    Socket socket = pair.client().socket();
    InetSocketAddress local = (InetSocketAddress) pair.client().getLocalAddress();
    InetSocketAddress remote = (InetSocketAddress) pair.client().getRemoteAddress();

    assertThat(socket.isBound()).isTrue();
    assertThat(socket.isConnected()).isTrue();
    assertThat(socket.getLocalAddress()).isEqualTo(local.getAddress());
    assertThat(socket.getLocalPort()).isEqualTo(local.getPort());
    assertThat(socket.getLocalSocketAddress()).isEqualTo(local);
    assertThat(socket.getInetAddress()).isEqualTo(remote.getAddress());
    assertThat(socket.getPort()).isEqualTo(remote.getPort());
    assertThat(socket.getRemoteSocketAddress()).isEqualTo(remote);
    assertThat(socket.toString()).contains(Integer.toString(remote.getPort()));
  }

  @Test
  void theStreamsOfTheSocketCarryTheBytesOfTheChannel() throws Exception {
    Pair pair = net().settledPair();
    OutputStream out = pair.client().socket().getOutputStream();
    InputStream in = pair.client().socket().getInputStream();

    out.write('a');
    out.write(new byte[] {'b', 'c', 'd', 'e'}, 1, 2);
    out.flush();
    assertThat(Bytes.read(pair.server(), 3)).isEqualTo("acd");

    Bytes.write(pair.server(), "xyz");
    assertThat(in.read()).isEqualTo('x');
    byte[] target = new byte[4];
    assertThat(in.readNBytes(target, 1, 2)).isEqualTo(2);
    assertThat(target).containsExactly(0, 'y', 'z', 0);
    assertThat(in.read(target, 0, 0)).isZero();
    pair.server().close();
    assertThat(in.read()).isEqualTo(-1);
    assertThat(in.read(target)).isEqualTo(-1);
  }

  @Test
  void theOutputStreamWritesEverythingHoweverLargeWhileTheInputStreamReads() throws Exception {
    Pair pair = net().settledPair();
    int size = 3_000_001;
    byte[] data = new Tape(1).next(size).array();
    Background<@Nullable Void> echo =
        Background.run(() -> {
          InputStream in = pair.server().socket().getInputStream();
          in.transferTo(pair.server().socket().getOutputStream());
          pair.server().shutdownOutput();
        });

    Background<@Nullable Void> writer =
        Background.run(() -> {
          pair.client().socket().getOutputStream().write(data);
          pair.client().socket().shutdownOutput();
        });

    byte[] echoed = pair.client().socket().getInputStream().readAllBytes();
    assertThat(echoed).hasSize(size);
    new Tape(1).verify(ByteBuffer.wrap(echoed));
    writer.result();
    echo.result();
  }

  @Test
  void availableTellsWhatCanBeReadWithoutWaiting() throws Exception {
    Pair pair = net().settledPair();
    InputStream in = pair.client().socket().getInputStream();
    assertThat(in.available()).isZero();

    Bytes.write(pair.server(), "12345");

    Patience.await().until(in::available, n -> n == 5);
    assertThat(in.read()).isEqualTo('1');
    assertThat(in.available()).isEqualTo(4);
    assertThat(in.readNBytes(4)).hasSize(4);
    assertThat(in.available()).isZero();
  }

  @Test
  void theStreamsRefuseANonBlockingChannel() throws Exception {
    Pair pair = net().settledPair();
    InputStream in = pair.client().socket().getInputStream();
    OutputStream out = pair.client().socket().getOutputStream();
    pair.configureBlocking(false);

    assertThatExceptionOfType(IllegalBlockingModeException.class).isThrownBy(in::read);
    assertThatExceptionOfType(IllegalBlockingModeException.class).isThrownBy(() -> out.write(1));
    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> out.write(new byte[3]));

    pair.configureBlocking(true);
    out.write('!');
    assertThat(Bytes.read(pair.server(), 1)).isEqualTo("!");
  }

  @Test
  void theSocketConnectsItsChannel() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();

    client.socket().bind(Network.anyPort());
    client.socket().connect(listener.getLocalAddress());

    assertThat(client.isConnected()).isTrue();
    SocketChannel server = net().closing(listener.accept());
    net().settle(new Pair(client, server));
    Bytes.exchange(client, server, "through the socket");
  }

  @Test
  void aConnectionThatIsRefusedClosesTheSocket() throws Exception {
    SocketChannel client = net().open();
    InetSocketAddress dead = net().deadAddress();

    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> client.socket().connect(dead, 5000));

    assertThat(client.isOpen()).isFalse();
    assertThat(client.socket().isClosed()).isTrue();
  }

  @Test
  void connectingTheSocketIsMisuseWhereConnectingTheChannelIs() throws Exception {
    Pair pair = net().settledPair();
    Socket connected = pair.client().socket();
    Socket unconnected = net().open().socket();

    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> connected.connect(Network.anyPort()));
    assertThatIllegalArgumentException().isThrownBy(() -> unconnected.connect(nothing()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> unconnected.connect(Network.anyPort(), -1));
    assertThatExceptionOfType(UnknownHostException.class)
        .isThrownBy(
            () -> unconnected.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 80)));
    assertThat(unconnected.isClosed()).isTrue();

    SocketChannel nonBlocking = net().open();
    nonBlocking.configureBlocking(false);
    ServerSocketChannel listener = net().listen();
    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> nonBlocking.socket().connect(listener.getLocalAddress()));
  }

  @Test
  void shuttingDownThroughTheSocketShutsDownTheChannel() throws Exception {
    Pair pair = net().settledPair();
    Socket socket = pair.client().socket();
    assertThat(socket.isInputShutdown()).isFalse();
    assertThat(socket.isOutputShutdown()).isFalse();

    socket.shutdownOutput();
    assertThat(socket.isOutputShutdown()).isTrue();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getOutputStream);

    InputStream in = socket.getInputStream();
    socket.shutdownInput();
    assertThat(socket.isInputShutdown()).isTrue();
    assertThat(in.read()).isEqualTo(-1);
    assertThat(in.available()).isZero();
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getInputStream);
  }

  @Test
  void shuttingDownTheChannelShowsInTheSocket() throws Exception {
    Pair pair = net().settledPair();

    pair.server().shutdownInput();
    pair.server().shutdownOutput();

    assertThat(pair.server().socket().isInputShutdown()).isTrue();
    assertThat(pair.server().socket().isOutputShutdown()).isTrue();
    assertThat(pair.server().socket().isClosed()).isFalse();
  }

  @Test
  void closingOneOfItsStreamsClosesTheSocketAndItsChannel() throws Exception {
    Pair first = net().settledPair();
    first.client().socket().getInputStream().close();
    assertThat(first.client().isOpen()).isFalse();
    assertThat(Bytes.readOne(first.server())).isEqualTo(-1);

    Pair second = net().settledPair();
    Socket socket = second.client().socket();
    socket.getOutputStream().close();
    assertThat(socket.isClosed()).isTrue();
    assertThat(second.client().isOpen()).isFalse();
    assertThat(Bytes.readOne(second.server())).isEqualTo(-1);
  }

  @Test
  void aClosedSocketStillKnowsItsAddresses() throws Exception {
    Pair pair = net().settledPair();
    Socket socket = pair.client().socket();
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    int port = socket.getPort();

    socket.close();
    socket.close();

    assertThat(socket.isClosed()).isTrue();
    assertThat(socket.getPort()).isEqualTo(port);
    assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(in::read);
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> out.write(1));
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getInputStream);
    assertThatExceptionOfType(SocketException.class).isThrownBy(() -> socket.setTcpNoDelay(true));
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getSoTimeout);
  }

  @Test
  void theOldOptionMethodsAreTheOptionsOfTheChannel() throws Exception {
    Socket socket = net().settledPair().client().socket();

    for (boolean on : new boolean[] {true, false}) {
      socket.setTcpNoDelay(on);
      assertThat(socket.getTcpNoDelay()).isEqualTo(on);
      socket.setKeepAlive(on);
      assertThat(socket.getKeepAlive()).isEqualTo(on);
      socket.setReuseAddress(on);
      assertThat(socket.getReuseAddress()).isEqualTo(on);
      socket.setOOBInline(on);
      assertThat(socket.getOOBInline()).isEqualTo(on);
    }
    socket.setSoLinger(true, 7);
    assertThat(socket.getSoLinger()).isEqualTo(7);
    socket.setSoLinger(false, 7);
    assertThat(socket.getSoLinger()).isEqualTo(-1);
    socket.setTrafficClass(0x10);
    assertThat(socket.getTrafficClass()).isEqualTo(0x10);
    socket.setSendBufferSize(64 * 1024);
    assertThat(socket.getSendBufferSize()).isGreaterThanOrEqualTo(64 * 1024);
    socket.setReceiveBufferSize(64 * 1024);
    assertThat(socket.getReceiveBufferSize()).isGreaterThanOrEqualTo(64 * 1024);
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSendBufferSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setReceiveBufferSize(0));
    assertThat(socket.supportedOptions()).isEqualTo(socket.getChannel().supportedOptions());
  }
}
