package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/** Our face over segments of another node. */
final class NtbNioConformanceTest extends NioConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("ntb", new Properties(), List.of(LoopbackNodes.transport()));

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
