package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which ports of two hosts belong together. */
class RailWaysTest {
  private static final Way FIRST = way("10.0.1.4", "10.0.1.8", 7000);

  private static Way way(String from, String to, int port) {
    return new Way(InetAddress.ofLiteral(from), at(to, port));
  }

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  static RdmaDevices.Port port(String device, String... addresses) {
    return new RdmaDevices.Port(
        device,
        1,
        "ACTIVE",
        "Ethernet",
        false,
        Stream.of(addresses).map(a -> RdmaDevices.mapped(InetAddress.ofLiteral(a))).toList());
  }

  /** The routes: to an address, from another one. */
  private static List<Way> ways(
      List<RdmaDevices.Port> own, Map<String, String> routes, InetSocketAddress... told) {
    OwnPorts ports = new OwnPorts(RdmaSettings.read(new Properties()), () -> own, () -> 0);
    return RailWays.of(
        FIRST, ports.usable(), List.of(told), to -> source(routes, to), ports::address);
  }

  private static @Nullable InetAddress source(Map<String, String> routes, InetSocketAddress to) {
    String source = routes.get(to.getAddress().getHostAddress());
    return source == null ? null : InetAddress.ofLiteral(source);
  }

  private static final RdmaDevices.Port ONE = port("rxe0", "fe80::1", "10.0.1.4");
  private static final RdmaDevices.Port TWO = port("rxe1", "fe80::2", "10.0.2.4");
  private static final RdmaDevices.Port THREE = port("rxe2", "10.0.3.4");

  @Test
  void portsOfTwoNetworksAreJoinedAsTheRoutesSay() {
    assertThat(
            ways(
                List.of(ONE, TWO, THREE),
                Map.of("10.0.2.8", "10.0.2.4", "10.0.3.8", "10.0.3.4"),
                at("10.0.3.8", 61003),
                at("10.0.2.8", 61002)))
        .containsExactly(
            FIRST, way("10.0.3.4", "10.0.3.8", 61003), way("10.0.2.4", "10.0.2.8", 61002));
  }

  /** All routes of one network lead over one interface. */
  @Test
  void portsOfOneNetworkAreJoinedInTheirOrder() {
    assertThat(
            ways(
                List.of(ONE, port("rxe1", "10.0.1.5"), port("rxe2", "10.0.1.6")),
                Map.of("10.0.1.9", "10.0.1.4", "10.0.1.10", "10.0.1.4"),
                at("10.0.1.9", 61001),
                at("10.0.1.10", 61001)))
        .containsExactly(
            FIRST, way("10.0.1.5", "10.0.1.9", 61001), way("10.0.1.6", "10.0.1.10", 61001));
  }

  @Test
  void aSecondPortAtOneEndOnlyIsNoSecondWay() {
    Map<String, String> routes = Map.of("10.0.2.8", "10.0.1.4", "10.0.3.8", "10.0.2.4");
    assertThat(ways(List.of(ONE), routes, at("10.0.2.8", 61002))).containsExactly(FIRST);
    assertThat(ways(List.of(ONE, TWO), routes)).containsExactly(FIRST);
    assertThat(ways(List.of(ONE, TWO), routes, at("10.0.1.8", 61002)))
        .as("the address of the first way")
        .containsExactly(FIRST);
    assertThat(ways(List.of(ONE, TWO), routes, at("10.0.9.8", 61002)))
        .as("no route")
        .containsExactly(FIRST);
    assertThat(ways(List.of(TWO, THREE), routes, at("10.0.3.8", 61002)))
        .as("the first way is over a port of another kind")
        .containsExactly(FIRST);
    assertThat(ways(List.of(ONE, TWO), routes, at("10.0.3.8", 61002), at("10.0.2.8", 61002)))
        .as("each port once")
        .containsExactly(FIRST, way("10.0.2.4", "10.0.3.8", 61002));
  }
}
