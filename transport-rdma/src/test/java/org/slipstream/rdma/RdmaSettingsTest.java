package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RdmaSettingsTest {
  private static RdmaSettings read(String... keysAndValues) {
    Properties properties = new Properties();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.setProperty("slipstream.rdma." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return RdmaSettings.read(properties);
  }

  @Test
  void byDefaultEverythingIsAllowedAndTheSystemDecides() {
    assertThat(read().allows("mlx5_0", 1)).isTrue();
    assertThat(read().trafficClass()).isEqualTo(-1);
  }

  @Test
  void devicesAndPortsCanBeChosen() {
    RdmaSettings settings = read("ports", "mlx5_0/2, rxe0");
    assertThat(settings.allows("mlx5_0", 2)).isTrue();
    assertThat(settings.allows("mlx5_0", 1)).isFalse();
    assertThat(settings.allows("rxe0", 1)).isTrue();
    assertThat(settings.allows("rxe01", 1)).isFalse();
  }

  @Test
  void theTrafficClassIsDecimalOrHexadecimal() {
    assertThat(read("traffic.class", "106").trafficClass()).isEqualTo(106);
    assertThat(read("traffic.class", "0x68").trafficClass()).isEqualTo(0x68);
  }

  @ParameterizedTest
  @ValueSource(strings = {"256", "-1", "high"})
  void badTrafficClassesGetASentence(String value) {
    assertThatThrownBy(() -> read("traffic.class", value))
        .hasMessage("slipstream.rdma.traffic.class must be 0 to 255, but is '" + value + "'");
  }

  /** Seven retries are for ever in some devices; seven tries of 33 ms are a quarter of a second. */
  @Test
  void aLostPathIsGivenUpWithinASecondByDefault() {
    assertThat(read().retries()).isEqualTo(6);
    assertThat(read().ackTimeout()).isEqualTo(13);
    double nominal = 4.096e-6 * (1 << read().ackTimeout()) * (read().retries() + 1);
    assertThat(4 * nominal).as("seconds, with a device that takes its time").isLessThan(1);
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "33, 13", "34, 14", "67, 14", "68, 15", "4000, 20"})
  void theAckTimeoutIsTheNextOneThatDevicesKnow(String millis, int exponent) {
    assertThat(read("ack.timeout", millis).ackTimeout()).isEqualTo(exponent);
  }

  @Test
  void aSecondPortIsInReserveUnlessSomethingElseIsSaid() {
    assertThat(read().rails()).isEqualTo(RailUse.STANDBY);
    assertThat(read("rails", " off ").rails()).isEqualTo(RailUse.OFF);
    assertThat(read("rails", "spread").rails()).isEqualTo(RailUse.SPREAD);
    assertThatThrownBy(() -> read("rails", "2"))
        .hasMessage("slipstream.rdma.rails must be off, standby or spread, but is '2'");
  }

  @Test
  void timeoutsAndRetriesAreChecked() {
    assertThat(read("retries", "0").retries()).isZero();
    assertThatThrownBy(() -> read("retries", "7"))
        .hasMessage("slipstream.rdma.retries must be 0 to 6, but is '7'");
    assertThatThrownBy(() -> read("ack.timeout", "0"))
        .hasMessage("slipstream.rdma.ack.timeout must be 1 to 4000, but is '0'");
    assertThatThrownBy(() -> read("ack.timeout", "soon"))
        .hasMessage("slipstream.rdma.ack.timeout must be 1 to 4000, but is 'soon'");
  }

  @Test
  void slowSessionsAreLeftUnlessTheyAreToStay() {
    assertThat(read().leavesWhenSlow()).isTrue();
    assertThat(read("slow", "leave").leavesWhenSlow()).isTrue();
    assertThat(read("slow", "stay").leavesWhenSlow()).isFalse();
    assertThatThrownBy(() -> read("slow", "no"))
        .hasMessage("slipstream.rdma.slow must be leave or stay, but is 'no'");
  }

  @Test
  void theOrderIsTheSafeOneUnlessTheDeviceIsKnown() {
    assertThat(read().order(false)).isEqualTo(RdmaOrder.COMPLETED);
    assertThat(read().order(true)).isEqualTo(RdmaOrder.TRUSTED);
    assertThat(read("order", "auto").order(false)).isEqualTo(RdmaOrder.COMPLETED);
    assertThat(read("order", "trusted").order(false)).isEqualTo(RdmaOrder.TRUSTED);
    assertThat(read("order", "checksummed").order(true)).isEqualTo(RdmaOrder.CHECKSUMMED);
    assertThat(RdmaOrder.TRUSTED.stricter(RdmaOrder.CHECKSUMMED)).isEqualTo(RdmaOrder.CHECKSUMMED);
    assertThat(RdmaOrder.COMPLETED.stricter(RdmaOrder.CHECKSUMMED)).isEqualTo(RdmaOrder.COMPLETED);
  }

  @Test
  void gidsAreAddressesOfEitherFamily() throws Exception {
    RdmaSettings settings = read("gids", "10.77.0.1, fe80::20c9:5cff:feea:c134");
    assertThat(settings.allowsGid(InetAddress.getByName("10.77.0.1"))).isTrue();
    assertThat(settings.allowsGid(InetAddress.getByName("10.77.0.2"))).isFalse();
    assertThat(settings.allowsGid(InetAddress.getByName("fe80::20c9:5cff:feea:c134"))).isTrue();
    byte[] mapped = HexFormat.of().parseHex("00000000000000000000ffff0a4d0001");
    assertThat(settings.allowsGid(mapped)).isTrue();
    assertThat(read("gids", "::ffff:10.77.0.1").allowsGid(mapped)).isTrue();
    assertThat(read("gids", "::ffff:10.77.0.2").allowsGid(mapped)).isFalse();
    assertThat(read().allowsGid(mapped)).isTrue();
  }

  @Test
  void anythingElseIsNoGid() {
    assertThatThrownBy(() -> read("gids", "10.77.0.1,mlx5_0"))
        .hasMessage("slipstream.rdma.gids must be addresses, but one is 'mlx5_0'");
  }

  @Test
  void partitionsAreChosenWhateverTheMembership() {
    RdmaSettings settings = read("pkeys", "0x8001, 2");
    assertThat(settings.allowsPartition(0x8001)).isTrue();
    assertThat(settings.allowsPartition(0x0001)).isTrue();
    assertThat(settings.allowsPartition(0x8002)).isTrue();
    assertThat(settings.allowsPartition(0xFFFF)).isFalse();
    assertThat(read().allowsPartition(0xFFFF)).isTrue();
    assertThatThrownBy(() -> read("pkeys", "0x10000"))
        .hasMessage("slipstream.rdma.pkeys must be 1 to 65535, but is '0x10000'");
  }

  @Test
  void thePathMtuHasFiveValues() {
    assertThat(read().maxPathMtu()).isZero();
    assertThat(read("path.mtu", "1024").maxPathMtu()).isEqualTo(1024);
    assertThatThrownBy(() -> read("path.mtu", "1500"))
        .hasMessage("slipstream.rdma.path.mtu must be 256, 512, 1024, 2048 or 4096, but is '1500'");
    assertThatThrownBy(() -> read("path.mtu", "128")).hasMessageContaining("but is '128'");
    assertThatThrownBy(() -> read("path.mtu", "8192"))
        .hasMessage("slipstream.rdma.path.mtu must be 0 to 4096, but is '8192'");
  }

  @Test
  void inlineBytesCanBeFewerOrMore() {
    assertThat(read().maxInline()).isEqualTo(256);
    assertThat(read("inline.max", "0").maxInline()).isZero();
    assertThat(read("inline.max", "1024").maxInline()).isEqualTo(1024);
    assertThatThrownBy(() -> read("inline.max", "1025"))
        .hasMessage("slipstream.rdma.inline.max must be 0 to 1024, but is '1025'");
  }

  @Test
  void iwarpHasToBeAskedFor() {
    RdmaDevices.Port iwarp = new RdmaDevices.Port("siw0", 1, "ACTIVE", "Ethernet", true, List.of());
    RdmaDevices.Port roce = new RdmaDevices.Port("rxe0", 1, "ACTIVE", "Ethernet", false, List.of());
    assertThat(read().allows(iwarp)).isFalse();
    assertThat(read().allows(roce)).isTrue();
    assertThat(read("iwarp", "false").allows(iwarp)).isFalse();
    assertThat(read("iwarp", "true").allows(iwarp)).isTrue();
    assertThat(read("iwarp", "true").allows(roce)).isTrue();
    assertThatThrownBy(() -> read("iwarp", "yes"))
        .hasMessage("slipstream.rdma.iwarp must be true or false, but is 'yes'");
  }

  @Test
  void iwarpListensElsewhereAndNeverBelow1024() {
    InetSocketAddress low = new InetSocketAddress("10.77.0.1", 80);
    assertThat(read().iwarp(low)).isEqualTo(new InetSocketAddress("10.77.0.1", 20_080));
    assertThat(read("iwarp.port.offset", "1000").iwarp(low).getPort()).isEqualTo(1080);
    InetSocketAddress high = new InetSocketAddress("10.77.0.1", 65_535);
    assertThat(read("iwarp.port.offset", "1").iwarp(high).getPort()).isEqualTo(1024);
    assertThatThrownBy(() -> read("iwarp.port.offset", "0"))
        .hasMessage("slipstream.rdma.iwarp.port.offset must be 1 to 64511, but is '0'");
  }
}
