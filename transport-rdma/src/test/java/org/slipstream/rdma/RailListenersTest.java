package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Where a process listens on ports by which it has not been found. */
class RailListenersTest {
  private static final InetAddress PEER = InetAddress.ofLiteral("10.0.1.4");
  private static final InetAddress PEER6 = InetAddress.ofLiteral("fd00::4");

  private final List<InetSocketAddress> listening = new ArrayList<>();
  private int refusals;
  private final List<RdmaDevices.Port> own = new ArrayList<>();

  private RailListeners listeners(int first, String... settings) {
    Properties properties = new Properties();
    for (int i = 0; i < settings.length; i += 2) {
      properties.setProperty("slipstream.rdma." + settings[i], settings[i + 1]);
    }
    return new RailListeners(
        new OwnPorts(RdmaSettings.read(properties), () -> own, () -> 0),
        new RailListeners.Listening() {
          @Override
          public boolean listen(InetSocketAddress address) {
            listening.add(address);
            return --refusals < 0;
          }

          @Override
          public void unlisten(InetSocketAddress address) {
            listening.remove(address);
          }
        },
        () -> first);
  }

  private static boolean isFirst(RdmaDevices.Port port) {
    return port.device().equals("rxe0");
  }

  @Test
  void onAllPortsButThatOfTheRequest() {
    own.add(RailWaysTest.port("rxe0", "fe80::1", "10.0.1.8", "10.0.1.9"));
    assertThat(listeners(61000).beside(RailListenersTest::isFirst, PEER)).isEmpty();
    own.add(RailWaysTest.port("rxe1", "fe80::2", "10.0.2.8", "10.0.2.9", "fd00::8"));
    RailListeners all = listeners(61000);
    List<InetSocketAddress> told = all.beside(RailListenersTest::isFirst, PEER);
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().getAddress()).isEqualTo(InetAddress.ofLiteral("10.0.2.8"));
    assertThat(told.getFirst().getPort()).isBetween(61000, 65535);
    assertThat(all.beside(RailListenersTest::isFirst, PEER)).as("once").isEqualTo(told);
    assertThat(listening).isEqualTo(told);
    assertThat(all.beside(RailListenersTest::isFirst, PEER6))
        .extracting(InetSocketAddress::getAddress)
        .containsExactly(InetAddress.ofLiteral("fd00::8"));
    assertThat(all.beside(port -> false, PEER)).as("over a port of another kind").isEmpty();
  }

  @Test
  void notWhereSettingsOrNumbersForbid() {
    own.add(RailWaysTest.port("rxe0", "10.0.1.8"));
    own.add(RailWaysTest.port("rxe1", "10.0.2.8"));
    assertThat(listeners(0).beside(RailListenersTest::isFirst, PEER)).isEmpty();
    assertThat(listeners(61000, "ports", "rxe0").beside(RailListenersTest::isFirst, PEER))
        .isEmpty();
    assertThat(listeners(61000, "gids", "10.0.1.8").beside(RailListenersTest::isFirst, PEER))
        .isEmpty();
    refusals = Integer.MAX_VALUE;
    assertThat(listeners(61000).beside(RailListenersTest::isFirst, PEER)).isEmpty();
    assertThat(listening).isEmpty();
  }

  @Test
  void aNumberThatIsTakenIsLeft() {
    own.add(RailWaysTest.port("rxe0", "10.0.1.8"));
    own.add(RailWaysTest.port("rxe1", "10.0.2.8"));
    refusals = 3;
    List<InetSocketAddress> told = listeners(61000).beside(RailListenersTest::isFirst, PEER);
    assertThat(told).hasSize(1);
    assertThat(listening).as("and not where it was refused").isEqualTo(told);
  }
}
