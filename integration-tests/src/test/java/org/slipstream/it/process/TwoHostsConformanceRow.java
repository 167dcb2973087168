package org.slipstream.it.process;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.StreamConformance;

/**
 * Our channels here, and between the two ends of every connection a process on another host, over
 * one transport. Both ends of a pair are asked whether the ring carried them. Run by {@code
 * config/fabric-kit}.
 */
public class TwoHostsConformanceRow extends StreamConformance {
  private static final Children CHILDREN = new Children();
  private static Carrier carrier;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    carrier =
        new Relayed(
            OtherHost.TRANSPORT + "-two-hosts",
            new SlipstreamCarrier(
                OtherHost.TRANSPORT,
                OtherHost.properties(CHILDREN),
                List.of(OtherHost.transport())),
            OtherHost.peer(CHILDREN),
            OtherHost.ADDRESS);
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
