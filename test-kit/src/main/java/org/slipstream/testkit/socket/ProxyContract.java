package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.StaysPlain;

/** A SOCKS proxy that the JVM's {@link ProxySelector} names is used, and the bytes are plain. */
@ResourceLock("java.net.ProxySelector")
@StaysPlain("the proxy is a stock program")
public abstract class ProxyContract extends SocketContract {

  private @Nullable ProxySelector before;

  /** Nothing is opened yet. */
  protected ProxyContract() {}

  @BeforeEach
  final void remember() {
    before = ProxySelector.getDefault();
  }

  @AfterEach
  final void restore() {
    ProxySelector.setDefault(before);
  }

  /** Sends some connections through a proxy, all others go directly. */
  private static final class Chooser extends ProxySelector {
    private final Proxy proxy;
    private final Predicate<URI> through;

    Chooser(InetSocketAddress socks, Predicate<URI> through) {
      this.proxy = new Proxy(Proxy.Type.SOCKS, socks);
      this.through = through;
    }

    @Override
    public List<Proxy> select(URI uri) {
      return List.of(through.test(uri) ? proxy : Proxy.NO_PROXY);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      assertThat(failure).isNotNull();
    }
  }

  @Test
  void theProxySelectorIsAskedAndItsProxyUsed() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    ServerSocket listener = listen();
    ProxySelector.setDefault(
        new Chooser(
            socks.address(),
            uri -> uri.getScheme().equals("socket") && uri.getPort() == listener.getLocalPort()));
    Socket client = open();

    client.connect(addressOf(listener));

    Socket server = closing(listener.accept());
    assertThat(socks.connections()).isOne();
    assertThat(client.isConnected()).isTrue();
    assertThat(client.getPort()).isEqualTo(listener.getLocalPort());
    Ends ends = new Ends(client, server);
    for (int i = 0; i < 50; i++) {
      talk(ends);
    }
    client.setSoTimeout(5_000);
    client.shutdownOutput();
    assertThat(server.getInputStream().read()).isEqualTo(-1);
    exchange(server, client, "still");
    server.close();
    assertThat(client.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void theProxyLooksUpNames() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    ServerSocket listener = listen();
    ProxySelector.setDefault(
        new Chooser(socks.address(), uri -> "nowhere.invalid".equals(uri.getHost())));
    Socket client = open();

    client.connect(
        InetSocketAddress.createUnresolved("nowhere.invalid", listener.getLocalPort()), 10_000);

    talk(new Ends(client, closing(listener.accept())));
    assertThat(socks.names()).containsExactly("nowhere.invalid");
  }

  @Test
  void aDirectAnswerIsADirectConnection() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    ProxySelector.setDefault(new Chooser(socks.address(), uri -> false));

    talk(settledPair());

    assertThat(socks.connections()).isZero();
  }

  @Test
  void eachConnectAsksForItsOwnAddress() throws Exception {
    List<String> asked = new ArrayList<>();
    Predicate<URI> none = uri -> !asked.add(uri.toString());
    ProxySelector.setDefault(new Chooser(deadAddress(), none));
    ServerSocket first = listen();
    ServerSocket second = listen();
    InetAddress named = InetAddress.getByAddress("a.name", first.getInetAddress().getAddress());
    InetSocketAddress byName = new InetSocketAddress(named, first.getLocalPort());

    for (InetSocketAddress to :
        List.of(addressOf(first), addressOf(first), addressOf(second), byName, addressOf(first))) {
      open().connect(to);
    }

    assertThat(asked)
        .containsExactly(
            asked(addressOf(first)),
            asked(addressOf(first)),
            asked(addressOf(second)),
            "socket://a.name:" + first.getLocalPort(),
            asked(addressOf(first)));
  }

  private static String asked(InetSocketAddress to) {
    return "socket://" + to.getHostString() + ":" + to.getPort();
  }

  @Test
  void withoutASelectorConnectionsAreDirect() throws Exception {
    ProxySelector.setDefault(null);

    talk(settledPair());
  }

  @Test
  void whatTheProxyCanNotReachFailsAndClosesTheSocket() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    InetSocketAddress dead = deadAddress();
    ProxySelector.setDefault(new Chooser(socks.address(), uri -> uri.getPort() == dead.getPort()));
    Socket client = open();

    assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.connect(dead));

    assertThat(client.isClosed()).isTrue();
    assertThat(socks.connections()).isZero();
  }

  @Test
  void aSocketWithoutAProxyAsksNoSelector() throws Exception {
    InetSocketAddress dead = deadAddress();
    ProxySelector.setDefault(new Chooser(dead, uri -> true));
    ServerSocket listener = listen();
    Socket client = closing(sockets().openDirect());

    client.connect(addressOf(listener));

    talk(settle(new Ends(client, closing(listener.accept()))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"höst", "柴田", "a b", "my host%1", "a_b", "x:y", "{}"})
  void aNameThatIsNoHostOfAUriConnectsAllTheSame(String name) throws Exception {
    ServerSocket listener = listen();
    List<URI> asked = new ArrayList<>();
    ProxySelector.setDefault(new Chooser(deadAddress(), uri -> !asked.add(uri)));
    Socket client = open();
    InetAddress address =
        InetAddress.getByAddress(name, InetAddress.getLoopbackAddress().getAddress());

    client.connect(new InetSocketAddress(address, listener.getLocalPort()));

    talk(new Ends(client, closing(listener.accept())));
    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst().getHost()).isNull();
  }

  @Test
  void aSelectorThatRefusesTheQuestionFailsTheConnect() throws Exception {
    IllegalArgumentException refusal = new IllegalArgumentException("not a question for me");
    ProxySelector.setDefault(
        new Chooser(
            deadAddress(),
            uri -> {
              throw refusal;
            }));
    Socket client = open();

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> client.connect(deadAddress()))
        .isExactlyInstanceOf(IOException.class)
        .withMessage("Failed to select a proxy")
        .withCause(refusal);
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void aSocketBehindAProxyKeepsItsOptionsAndItsAddress() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    ServerSocket listener = listen();
    ProxySelector.setDefault(
        new Chooser(socks.address(), uri -> uri.getPort() == listener.getLocalPort()));
    Socket client = open();
    client.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    int local = client.getLocalPort();
    client.setTcpNoDelay(true);
    client.setSoLinger(true, 7);
    client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);

    client.connect(addressOf(listener));

    assertThat(client.getLocalAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(client.getLocalPort()).isEqualTo(local);
    assertThat(client.getTcpNoDelay()).isTrue();
    assertThat(client.getSoLinger()).isEqualTo(7);
    assertThat(client.getKeepAlive()).isTrue();
    assertThat(client.getOOBInline()).isFalse();
    assertThat(client.getSendBufferSize()).isPositive();
    client.setSoLinger(false, 0);
    assertThat(client.getSoLinger()).isEqualTo(-1);
    talk(new Ends(client, closing(listener.accept())));
  }

  @Test
  void aProxyThatTheProgramNamesIsUsed() throws Exception {
    SocksServer socks = closing(new SocksServer(carrier()));
    ServerSocket listener = listen();
    Socket client = closing(new Socket(new Proxy(Proxy.Type.SOCKS, socks.address())));

    client.connect(addressOf(listener));

    talk(new Ends(client, closing(listener.accept())));
    assertThat(socks.connections()).isOne();
  }
}
