package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.rdma.DeviceCounters;
import org.slipstream.rdma.RdmaTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.StreamConformance;

/**
 * Our channels here, and between the two ends of every connection another process, so that each end
 * talks to another process over a queue pair. Both ends of a pair are asked whether the ring
 * carried them, and the device whether it sent anything. Runs inside the guest.
 */
public class RdmaConformanceRow extends StreamConformance {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final Children CHILDREN = new Children();
  private static Carrier carrier;
  private static long packets;

  @BeforeAll
  static void start() throws Exception {
    packets = DeviceCounters.packets();
    CHILDREN.begin();
    Peer relay =
        CHILDREN.accelerated("-Dslipstream.transports=rdma", "--enable-native-access=ALL-UNNAMED");
    carrier =
        new Relayed(
            "rdma-relayed",
            new SlipstreamCarrier("rdma", new Properties(), List.of(new RdmaTransport())),
            relay,
            HOST);
    awaitQueuePairs();
  }

  /** A stream that is older than the queue pair may stay plain. */
  private static void awaitQueuePairs() {
    Children.soon()
        .untilAsserted(() -> {
          try (Network network = new Network(carrier)) {
            Pair pair = network.freshPair();
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < 200; i++) {
              pair.client().write(one.clear());
              pair.server().read(one.clear());
              pair.server().write(one.clear());
              pair.client().read(one.clear());
            }
            carrier.assertCarried(pair.client(), pair.server());
          }
        });
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
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
