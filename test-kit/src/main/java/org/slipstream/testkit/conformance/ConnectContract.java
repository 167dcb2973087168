package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.Tape;

/** How a connection comes about: blocking, pending, refused, forgotten and reused. */
public abstract class ConnectContract extends NioContract {

  /** Nothing is opened yet. */
  protected ConnectContract() {}

  @Test
  void bothEndsKnowTheirAddressesOnceConnected() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();

    assertThat(client.connect(listener.getLocalAddress())).isTrue();
    SocketChannel server = net().closing(listener.accept());

    assertThat(client.isConnected()).isTrue();
    assertThat(client.isConnectionPending()).isFalse();
    assertThat(client.getRemoteAddress()).isEqualTo(listener.getLocalAddress());
    assertThat(server.getLocalAddress()).isEqualTo(listener.getLocalAddress());
    assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
  }

  @Test
  void channelsComeFromTheProviderOfTheCarrier() throws Exception {
    Pair pair = net().freshPair();

    assertThat(pair.client().provider()).isSameAs(carrier().provider());
    assertThat(pair.server().provider()).isSameAs(carrier().provider());
    assertThat(net().openServer().provider()).isSameAs(carrier().provider());
    assertThat(net().selector().provider()).isSameAs(carrier().provider());
  }

  @Test
  void aPortWithoutListenerRefusesAndTheChannelIsClosed() throws Exception {
    SocketChannel client = net().open();
    InetSocketAddress dead = net().deadAddress();

    assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> client.connect(dead));

    assertThat(client.isOpen()).isFalse();
    assertThat(client.isConnected()).isFalse();
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> client.connect(dead));
  }

  @Test
  void aNonBlockingConnectIsFinishedOnceAndThenStaysFinished() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();
    client.configureBlocking(false);

    boolean connected = client.connect(listener.getLocalAddress());
    if (!connected) {
      assertThat(client.isConnectionPending()).isTrue();
      awaitConnectable(client);
      assertThat(client.finishConnect()).isTrue();
    }

    assertThat(client.isConnected()).isTrue();
    assertThat(client.isConnectionPending()).isFalse();
    assertThat(client.finishConnect()).isTrue();
    SocketChannel server = net().closing(listener.accept());
    Bytes.exchange(client, server, "to and");
    Bytes.exchange(server, client, "fro");
  }

  @Test
  void aRefusedNonBlockingConnectIsReportedByFinishConnect() throws Exception {
    InetSocketAddress dead = net().deadAddress();
    SocketChannel client = net().open();
    client.configureBlocking(false);

    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> {
          client.connect(dead);
          awaitConnectable(client);
          client.finishConnect();
        });

    assertThat(client.isOpen()).isFalse();
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(client::finishConnect);
  }

  @Test
  void aBlockingFinishConnectWaitsForAPendingConnection() throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();
    client.configureBlocking(false);
    assertThat(client.connect(listener.address())).isFalse();
    client.configureBlocking(true);

    Background<Boolean> finish = Background.call(client::finishConnect).awaitBlocked();
    listener.makeRoom();

    assertThat(finish.result()).isTrue();
    SocketChannel server = net().closing(listener.accept());
    Bytes.exchange(server, client, "late but not lost");
  }

  @Test
  void closingAPendingConnectionEndsIt() throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();
    client.configureBlocking(false);
    assertThat(client.connect(listener.address())).isFalse();

    client.close();

    assertThat(client.isConnectionPending()).isFalse();
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(client::finishConnect);
  }

  @Test
  void theWildcardAddressMeansThisHost() throws Exception {
    ServerSocketChannel listener =
        net().openServer().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    InetSocketAddress wildcard =
        new InetSocketAddress(InetAddress.getByName("0.0.0.0"), portOf(listener));
    SocketChannel client = net().open();

    assertThat(client.connect(wildcard)).isTrue();

    InetSocketAddress remote = (InetSocketAddress) client.getRemoteAddress();
    assertThat(remote.getAddress().isLoopbackAddress()).isTrue();
    assertThat(remote.getPort()).isEqualTo(portOf(listener));
  }

  @Test
  void aBoundChannelConnectsFromItsPort() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();
    assertThat(client.bind(Network.anyPort())).isSameAs(client);
    InetSocketAddress local = (InetSocketAddress) client.getLocalAddress();

    client.connect(listener.getLocalAddress());

    assertThat(client.getLocalAddress()).isEqualTo(local);
    assertThat(net().closing(listener.accept()).getRemoteAddress()).isEqualTo(local);
  }

  @Test
  void bindingToNullChoosesAPort() throws Exception {
    SocketChannel client = net().open();
    assertThat(client.getLocalAddress()).isNull();

    client.bind(null);

    InetSocketAddress local = (InetSocketAddress) client.getLocalAddress();
    assertThat(local.getAddress().isAnyLocalAddress()).isTrue();
    assertThat(local.getPort()).isPositive();
  }

  @StaysPlain("both ends are one socket")
  @Test
  void aChannelThatConnectsToItselfTalksToItself() throws Exception {
    SocketChannel self = net().open();
    self.bind(Network.anyPort());

    assertThat(self.connect(self.getLocalAddress())).isTrue();

    assertThat(self.getRemoteAddress()).isEqualTo(self.getLocalAddress());
    Bytes.exchange(self, self, "monologue");
    self.shutdownOutput();
    assertThat(Bytes.readOne(self)).isEqualTo(-1);
  }

  @StaysPlain("the client writes before it is accepted")
  @Test
  void aClientThatWritesAndClosesAtOnceIsStillAcceptedAndHeard() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);
    Bytes.write(client, "last words");
    client.close();

    SocketChannel server = net().closing(listener.accept());

    assertThat(Bytes.readToEnd(server)).asString().isEqualTo("last words");
  }

  @Test
  void aPortThatIsReusedAfterAResetBelongsToTheNewConnection() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel first = net().open().bind(Network.anyPort());
    first.connect(listener.getLocalAddress());
    InetSocketAddress port = (InetSocketAddress) first.getLocalAddress();
    Pair.reset(first);
    SocketChannel second = net().open();
    second.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    second.bind(port).connect(listener.getLocalAddress());

    SocketChannel dead = net().closing(listener.accept());
    SocketChannel alive = net().closing(listener.accept());

    assertThat(alive.getRemoteAddress()).isEqualTo(port);
    Bytes.exchange(second, alive, "new here");
    Bytes.exchange(alive, second, "welcome");
    net().settle(new Pair(second, alive));
    Bytes.exchange(second, alive, "so long");
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> Bytes.readOne(dead));
  }

  @StaysPlain("the client writes before it is accepted")
  @Test
  void aServerThatNeverAcceptsTakesWhatFitsAndNoMore() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);
    client.configureBlocking(false);

    assertThat(Bytes.fillUp(client, new Tape(1))).isPositive();

    assertThat(client.read(ByteBuffer.allocate(1))).isZero();
    client.close();
    assertThat(client.isOpen()).isFalse();
  }

  private void awaitConnectable(SocketChannel client) throws IOException {
    try (Selector selector = carrier().provider().openSelector()) {
      client.register(selector, SelectionKey.OP_CONNECT);
      selector.select(Background.DEADLINE.toMillis());
      assertThat(selector.selectedKeys()).singleElement().matches(SelectionKey::isConnectable);
    }
  }

  private static int portOf(ServerSocketChannel listener) throws IOException {
    return Network.addressOf(listener).getPort();
  }
}
