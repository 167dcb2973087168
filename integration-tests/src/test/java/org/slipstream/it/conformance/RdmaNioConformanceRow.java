package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.rdma.RdmaTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/** Our face over queue pairs. Runs inside the guest. */
public final class RdmaNioConformanceRow extends NioConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("rdma", new Properties(), List.of(new RdmaTransport()));

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
