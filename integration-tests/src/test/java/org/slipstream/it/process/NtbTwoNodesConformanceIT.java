package org.slipstream.it.process;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.ntb.NtbTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.StreamConformance;

/**
 * Our channels on node 4, and between the two ends of every connection a process on node 8, so that
 * each end talks to another process on another node over the fabric. Both ends of a pair are asked
 * whether the ring carried them.
 */
class NtbTwoNodesConformanceIT extends StreamConformance {
  private static final Children CHILDREN = new Children();
  private static Carrier carrier;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    Nodes nodes = new Nodes(CHILDREN, "loopback", "direct");
    NtbTransport here = nodes.joinAs(4);
    Peer relay = nodes.start(8, "-Dslipstream.transports=ntb,shm", "-Dslipstream.ntb.dma=auto");
    carrier =
        new Relayed(
            "ntb-relayed",
            new SlipstreamCarrier("ntb", new Properties(), List.of(here)),
            relay,
            Nodes.address(8));
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @Override
  protected Carrier carrier() {
    return carrier;
  }
}
