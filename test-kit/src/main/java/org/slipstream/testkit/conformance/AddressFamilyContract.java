package org.slipstream.testkit.conformance;

import static java.net.StandardProtocolFamily.INET;
import static java.net.StandardProtocolFamily.INET6;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Requirement;

/** IPv4, IPv6, and both on one listener. */
public abstract class AddressFamilyContract extends NioContract {

  private static final InetAddress FOUR = Network.address();
  private static final InetAddress SIX = Network.address6();
  private static final InetAddress LOOPBACK6 = InetAddress.ofLiteral("::1");

  /** Nothing is opened yet. */
  protected AddressFamilyContract() {}

  @Test
  void anIpv4StreamHasIpv4Addresses() throws Exception {
    Pair pair = connect(listen(INET, FOUR), INET, FOUR);

    assertAddresses(pair, Inet4Address.class);
    assertTalks(pair);
  }

  @Test
  void anIpv6StreamHasIpv6Addresses() throws Exception {
    assumeIpv6();

    Pair pair = connect(listen(INET6, SIX), INET6, SIX);

    assertAddresses(pair, Inet6Address.class);
    assertTalks(pair);
  }

  @Test
  void aChannelOfNoParticularFamilySpeaksBoth() throws Exception {
    assumeIpv6();
    ServerSocketChannel four = net().openServer().bind(at(FOUR, 0));
    ServerSocketChannel six = net().openServer().bind(at(SIX, 0));

    Pair overFour = net().pair(four);
    Pair overSix = net().pair(six);

    assertAddresses(overFour, Inet4Address.class);
    assertAddresses(overSix, Inet6Address.class);
    assertTalks(overFour);
    assertTalks(overSix);
  }

  @Test
  void aListenerOnAllAddressesAcceptsBothFamilies() throws Exception {
    assumeIpv6();
    ServerSocketChannel listener = net().openServer().bind(null);

    Pair four = connect(listener, INET, FOUR);
    Pair six = connect(listener, INET6, SIX);
    Pair mapped = connect(listener, INET6, FOUR);

    assertAddresses(four, Inet4Address.class);
    assertAddresses(six, Inet6Address.class);
    assertAddresses(mapped, Inet4Address.class);
    assertTalks(four);
    assertTalks(six);
    assertTalks(mapped);
  }

  @Test
  void anIpv4ListenerOnAllAddressesAcceptsIpv4() throws Exception {
    ServerSocketChannel listener =
        net().closing(provider().openServerSocketChannel(INET)).bind(null);
    assertThat(Network.addressOf(listener).getAddress()).isInstanceOf(Inet4Address.class);

    Pair pair = connect(listener, INET, FOUR);

    assertAddresses(pair, Inet4Address.class);
    assertTalks(pair);
  }

  @Test
  void twoAddressesOfThisHostAreTwoListenersOnOnePort() throws Exception {
    ServerSocketChannel one = listen(INET, FOUR);
    int port = Network.addressOf(one).getPort();
    InetAddress another = Network.anotherAddress();
    ServerSocketChannel two =
        net().closing(provider().openServerSocketChannel(INET)).bind(at(another, port));

    Pair toTwo = connect(two, INET, another);
    Pair toOne = connect(one, INET, FOUR);

    assertTalks(toOne);
    assertTalks(toTwo);
    assertThat(toTwo.client().getRemoteAddress()).isEqualTo(at(another, port));
  }

  @Test
  void anIpv4ChannelRefusesIpv6Addresses() throws Exception {
    SocketChannel client = net().closing(provider().openSocketChannel(INET));
    ServerSocketChannel listener = net().closing(provider().openServerSocketChannel(INET));

    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> client.connect(at(LOOPBACK6, 80)));
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> client.bind(at(LOOPBACK6, 0)));
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> listener.bind(at(LOOPBACK6, 0)));
  }

  @Test
  void theIpv6WildcardMeansThisHostToo() throws Exception {
    assumeIpv6();
    ServerSocketChannel listener = listen(INET6, LOOPBACK6);
    SocketChannel client = net().open();

    client.connect(at(InetAddress.ofLiteral("::"), Network.addressOf(listener).getPort()));

    Pair pair = new Pair(client, net().closing(listener.accept()));
    assertAddresses(pair, Inet6Address.class);
    if (SIX.isLoopbackAddress()) {
      assertTalks(pair); // no device serves it
    } else {
      Bytes.exchange(client, pair.server(), "in the kernel");
    }
  }

  @Test
  void aFamilyThatDoesNotExistIsRefused() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> provider().openSocketChannel(() -> "TELEPATHY"));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> provider().openServerSocketChannel(() -> "TELEPATHY"));
    assertThatNullPointerException().isThrownBy(() -> provider().openSocketChannel(nothing()));
    assertThatNullPointerException()
        .isThrownBy(() -> provider().openServerSocketChannel(nothing()));
  }

  private SelectorProvider provider() {
    return carrier().provider();
  }

  private ServerSocketChannel listen(StandardProtocolFamily family, InetAddress address)
      throws IOException {
    return net().closing(provider().openServerSocketChannel(family)).bind(at(address, 0));
  }

  private Pair connect(
      ServerSocketChannel listener, StandardProtocolFamily family, InetAddress address)
      throws IOException {
    SocketChannel client = net().closing(provider().openSocketChannel(family));
    client.connect(at(address, Network.addressOf(listener).getPort()));
    return new Pair(client, net().closing(listener.accept()));
  }

  private void assertTalks(Pair pair) throws IOException {
    net().settle(pair);
    Bytes.exchange(pair.client(), pair.server(), "there");
    Bytes.exchange(pair.server(), pair.client(), "and back");
  }

  private static void assertAddresses(Pair pair, Class<? extends InetAddress> type)
      throws IOException {
    for (SocketChannel end : new SocketChannel[] {pair.client(), pair.server()}) {
      InetSocketAddress local = (InetSocketAddress) end.getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) end.getRemoteAddress();
      assertThat(local.getAddress()).isInstanceOf(type);
      assertThat(remote.getAddress()).isInstanceOf(type);
    }
    assertThat(pair.server().getRemoteAddress()).isEqualTo(pair.client().getLocalAddress());
    assertThat(pair.server().getLocalAddress()).isEqualTo(pair.client().getRemoteAddress());
  }

  private static InetSocketAddress at(InetAddress address, int port) {
    return new InetSocketAddress(address, port);
  }

  private void assumeIpv6() {
    boolean available;
    try (ServerSocketChannel probe = carrier().stock().openServerSocketChannel(INET6)) {
      probe.bind(at(SIX, 0));
      available = true;
    } catch (IOException | UnsupportedOperationException e) {
      available = false;
    }
    Requirement.require(available, "the address " + SIX.getHostAddress());
  }
}
