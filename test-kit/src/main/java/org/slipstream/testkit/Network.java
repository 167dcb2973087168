package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What a test needs of the network, on one carrier; everything that it hands out is closed by
 * {@link #close}. Safe for use by several threads.
 */
public final class Network implements AutoCloseable {

  private final Carrier carrier;
  private final Deque<AutoCloseable> resources = new ArrayDeque<>(); // guarded by itself
  private final List<Pair> settled = new ArrayList<>(); // guarded by resources

  /** An empty network. */
  public Network(Carrier carrier) {
    this.carrier = carrier;
  }

  /**
   * An address of this host. Devices that do not serve the loopback address are tested with {@code
   * -Dslipstream.test.address}.
   */
  public static InetAddress address() {
    return address("slipstream.test.address", InetAddress.getLoopbackAddress());
  }

  /** An IPv6 address of this host: {@code -Dslipstream.test.address6}, else loopback's. */
  public static InetAddress address6() {
    return address("slipstream.test.address6", literal("::1"));
  }

  /** Another IPv4 address of this host: {@code -Dslipstream.test.address2}, else 127.0.0.2. */
  public static InetAddress anotherAddress() {
    return address("slipstream.test.address2", literal("127.0.0.2"));
  }

  private static InetAddress address(String property, InetAddress loopback) {
    String address = System.getProperty(property);
    return address == null ? loopback : literal(address);
  }

  private static InetAddress literal(String address) {
    return InetAddress.ofLiteral(address);
  }

  /** An address of this host at which the kernel chooses the port. */
  public static InetSocketAddress anyPort() {
    return new InetSocketAddress(address(), 0);
  }

  /** The address of a bound channel. */
  public static InetSocketAddress addressOf(ServerSocketChannel listener) throws IOException {
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /** An address of this host at which no process listens. */
  public InetSocketAddress deadAddress() throws IOException {
    try (ServerSocketChannel gone = carrier.stock().openServerSocketChannel()) {
      return addressOf(gone.bind(anyPort()));
    }
  }

  /** Closes the resource after the test. */
  public <T extends AutoCloseable> T closing(T resource) {
    synchronized (resources) {
      resources.push(resource);
    }
    return resource;
  }

  /** A new, unconnected channel of the carrier. */
  public SocketChannel open() throws IOException {
    return closing(carrier.provider().openSocketChannel());
  }

  /** A new, unbound channel of the carrier. */
  public ServerSocketChannel openServer() throws IOException {
    return closing(carrier.provider().openServerSocketChannel());
  }

  /** A channel of the carrier that listens on this host. */
  public ServerSocketChannel listen() throws IOException {
    return listen(carrier.provider());
  }

  /** A channel of any provider that listens on this host. */
  public ServerSocketChannel listen(SelectorProvider provider) throws IOException {
    return closing(provider.openServerSocketChannel()).bind(anyPort());
  }

  /** A new selector of the carrier. */
  public Selector selector() throws IOException {
    return closing(carrier.provider().openSelector());
  }

  /** A channel of the carrier that is connected to the listener. */
  public SocketChannel connect(ServerSocketChannel listener) throws IOException {
    SocketChannel client = open();
    client.connect(carrier.route(addressOf(listener)));
    return client;
  }

  /**
   * A connection to the listener on which no byte has been sent; both ends are in blocking mode.
   */
  public Pair pair(ServerSocketChannel listener) throws IOException {
    return accepted(listener, connect(listener));
  }

  /** A connection on which no byte has been sent; both ends are in blocking mode. */
  public Pair freshPair() throws IOException {
    return pair(carrier.provider(), carrier.provider());
  }

  /** A connection between the channels of two providers; both ends are in blocking mode. */
  public Pair pair(SelectorProvider clientSide, SelectorProvider serverSide) throws IOException {
    try (ServerSocketChannel listener = serverSide.openServerSocketChannel()) {
      listener.bind(anyPort());
      SocketChannel client = closing(clientSide.openSocketChannel());
      client.connect(carrier.route(addressOf(listener)));
      return accepted(listener, client);
    }
  }

  /** A connection that the carrier carries by now; both ends are in blocking mode. */
  public Pair settledPair() throws IOException {
    return settle(freshPair());
  }

  /** A connection that the carrier carries by now; both ends are in non-blocking mode. */
  public Pair settledNonBlockingPair() throws IOException {
    return settledPair().configureBlocking(false);
  }

  /** Settles a fresh pair, and remembers it: the carrier is asserted once more after the test. */
  public Pair settle(Pair pair) throws IOException {
    carrier.settle(pair.client(), pair.server());
    assertThat(pair.client().isBlocking()).isTrue();
    assertThat(pair.server().isBlocking()).isTrue();
    carrier.assertCarried(pair.client(), pair.server());
    synchronized (resources) {
      settled.add(pair);
    }
    return pair;
  }

  /** Fails unless every settled pair that is still open was carried by the carrier. */
  public void assertCarried() {
    List<Pair> pairs;
    synchronized (resources) {
      pairs = List.copyOf(settled);
    }
    for (Pair pair : pairs) {
      if (pair.client().isOpen() && pair.server().isOpen()) {
        carrier.assertCarried(pair.client(), pair.server());
      }
    }
  }

  /**
   * Closes everything, the newest first; what does not want to be closed does not stop the rest.
   */
  @Override
  public void close() {
    while (true) {
      AutoCloseable next;
      synchronized (resources) {
        next = resources.poll();
      }
      if (next == null) {
        return;
      }
      closeQuietly(next);
    }
  }

  private Pair accepted(ServerSocketChannel listener, SocketChannel client) throws IOException {
    SocketChannel server = closing(listener.accept());
    if (addressOf(listener).equals(client.getRemoteAddress())) {
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    }
    return new Pair(client, server);
  }

  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      // The test has said what it had to say about closing.
    }
  }
}
