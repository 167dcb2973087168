package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.Tape;

/** How a server binds, waits, accepts and stops. */
public abstract class AcceptContract extends NioContract {

  /** Nothing is opened yet. */
  protected AcceptContract() {}

  @Test
  void aBlockingAcceptWaitsForTheConnection() throws Exception {
    ServerSocketChannel listener = net().listen();
    Background<SocketChannel> accept = Background.call(listener::accept).awaitBlocked();

    SocketChannel client = net().connect(listener);

    SocketChannel server = net().closing(accept.result());
    assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
  }

  @Test
  void aNonBlockingAcceptReturnsNullUntilAConnectionComes() throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(false);
    assertThat(listener.accept()).isNull();

    SocketChannel client = net().connect(listener);

    SocketChannel server = net().closing(listener.accept());
    assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    assertThat(listener.accept()).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAcceptedChannelIsConnectedAndInBlockingMode(boolean blockingListener) throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(blockingListener);
    net().connect(listener);

    SocketChannel server = net().closing(listener.accept());

    assertThat(server.isBlocking()).isTrue();
    assertThat(server.isConnected()).isTrue();
    assertThat(server.isConnectionPending()).isFalse();
    assertThat(server.finishConnect()).isTrue();
    assertThat(server.isRegistered()).isFalse();
  }

  @Test
  void acceptingBeforeBindingIsNotYetBound() throws Exception {
    ServerSocketChannel listener = net().openServer();

    assertThat(listener.getLocalAddress()).isNull();
    assertThatExceptionOfType(NotYetBoundException.class).isThrownBy(listener::accept);
    listener.configureBlocking(false);
    assertThatExceptionOfType(NotYetBoundException.class).isThrownBy(listener::accept);
  }

  @Test
  void bindingAgainIsAlreadyBound() throws Exception {
    ServerSocketChannel listener = net().listen();

    assertThatExceptionOfType(AlreadyBoundException.class)
        .isThrownBy(() -> listener.bind(Network.anyPort()));
  }

  @Test
  void bindingToAPortInUseIsABindExceptionAndTheChannelStaysOpen() throws Exception {
    ServerSocketChannel first = net().listen();
    ServerSocketChannel second = net().openServer();

    assertThatExceptionOfType(BindException.class)
        .isThrownBy(() -> second.bind(first.getLocalAddress()));

    assertThat(second.isOpen()).isTrue();
    assertThat(second.getLocalAddress()).isNull();
    assertThat(second.bind(Network.anyPort())).isSameAs(second);
  }

  @Test
  void addressesThatCannotBeBoundAreRefused() throws Exception {
    ServerSocketChannel listener = net().openServer();

    assertThatExceptionOfType(UnresolvedAddressException.class)
        .isThrownBy(() -> listener.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 0)));
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> listener.bind(UnixDomainSocketAddress.of("/nowhere")));

    assertThat(listener.isOpen()).isTrue();
  }

  @Test
  void bindingToNullChoosesAPortOnAllAddresses() throws Exception {
    ServerSocketChannel listener = net().openServer().bind(null);

    InetSocketAddress address = Network.addressOf(listener);
    assertThat(address.getAddress().isAnyLocalAddress()).isTrue();
    assertThat(address.getPort()).isPositive();
    SocketChannel client = net().open();
    client.connect(new InetSocketAddress(Network.address(), address.getPort()));
    SocketChannel server = net().closing(listener.accept());
    net().settle(new Pair(client, server));
    Bytes.exchange(client, server, "found you");
  }

  @Test
  void aBacklogBelowOneMeansTheDefault() throws Exception {
    ServerSocketChannel listener = net().openServer().bind(Network.anyPort(), -1);

    List<SocketChannel> clients = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      clients.add(net().connect(listener));
    }

    for (SocketChannel client : clients) {
      SocketChannel server = net().closing(listener.accept());
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    }
  }

  @Test
  void nothingButClosingIsPossibleOnAClosedListener() throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.close();
    listener.close();

    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(listener::accept);
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> listener.bind(Network.anyPort()));
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(listener::getLocalAddress);
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> listener.setOption(StandardSocketOptions.SO_REUSEADDR, true));
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> listener.configureBlocking(false));
  }

  @Test
  void aServerThatSpeaksFirstIsHeard() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);
    SocketChannel server = net().closing(listener.accept());

    Bytes.write(server, "220 ready\r\n");

    assertThat(Bytes.read(client, 11)).isEqualTo("220 ready\r\n");
    Bytes.exchange(client, server, "HELO\r\n");
  }

  @StaysPlain("the client writes before it is accepted")
  @Test
  void whatAClientWritesBeforeItIsAcceptedIsNotLost() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);
    Bytes.writeTape(client, new Tape(17), 64 * 1024);

    Thread.sleep(A_WHILE);
    SocketChannel server = net().closing(listener.accept());

    Tape expected = new Tape(17);
    Bytes.readTape(server, expected, 32 * 1024);
    Bytes.write(server, "half");
    Bytes.readTape(server, expected, 32 * 1024);
    assertThat(Bytes.read(client, 4)).isEqualTo("half");
  }

  @Test
  void acceptedStreamsOutliveTheirListener() throws Exception {
    ServerSocketChannel listener = net().listen();
    Pair pair = net().settle(net().pair(listener));

    listener.close();

    Bytes.exchange(pair.client(), pair.server(), "still");
    Bytes.exchange(pair.server(), pair.client(), "here");
  }

  @Test
  void closingTheListenerResetsWhatItHasNotAccepted() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().connect(listener);

    listener.close();

    assertThatExceptionOfType(IOException.class).isThrownBy(() -> Bytes.readOne(client));
  }

  @Test
  void aPortCanBeListenedOnAgainAtOnce() throws Exception {
    ServerSocketChannel first = net().listen();
    InetSocketAddress address = Network.addressOf(first);
    Pair before = net().settle(net().pair(first));
    first.close();
    before.server().close();

    ServerSocketChannel second = net().openServer();
    second.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address);

    Pair after = net().settle(net().pair(second));
    Bytes.exchange(after.client(), after.server(), "same place");
    assertThat(Bytes.readOne(before.client())).isEqualTo(-1);
  }

  @Test
  void severalThreadsShareTheConnectionsOfAListener() throws Exception {
    ServerSocketChannel listener = net().listen();
    List<Background<SocketChannel>> acceptors = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      acceptors.add(Background.call(listener::accept));
    }

    List<Object> connected = new ArrayList<>();
    for (int i = 0; i < acceptors.size(); i++) {
      connected.add(net().connect(listener).getLocalAddress());
    }

    List<Object> accepted = new ArrayList<>();
    for (Background<SocketChannel> acceptor : acceptors) {
      accepted.add(net().closing(acceptor.result()).getRemoteAddress());
    }
    assertThat(accepted).containsExactlyInAnyOrderElementsOf(connected);
  }
}
