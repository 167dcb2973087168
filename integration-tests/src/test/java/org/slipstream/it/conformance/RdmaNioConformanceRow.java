package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.rdma.DeviceCounters;
import org.slipstream.rdma.RdmaTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/**
 * Our adapter over queue pairs between a process and itself: both ends of each stream are here, so
 * that what a relay would hide can be seen. Runs inside the guest, at the addresses of its device.
 */
public final class RdmaNioConformanceRow extends NioConformance {

  private static Carrier carrier;
  private static long packets;

  @BeforeAll
  static void start() throws Exception {
    assertThat(Network.address().isLoopbackAddress()).as("no address of a device").isFalse();
    packets = DeviceCounters.packets();
    carrier = new SlipstreamCarrier("rdma", new Properties(), List.of(new RdmaTransport()));
    try (Network network = new Network(carrier)) {
      network.settledPair(); // the process has found itself
    }
  }

  @AfterAll
  static void theDeviceCarriedSomething() throws Exception {
    if (DeviceCounters.exist()) {
      assertThat(DeviceCounters.packets() - packets)
          .as("packets of the device")
          .isGreaterThan(1000);
    }
  }

  @Override
  protected Carrier carrier() {
    return carrier;
  }
}
