package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/** Our adapter over shared memory. */
final class ShmNioConformanceTest extends NioConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("shm", new Properties(), List.of(new ShmTransport()));

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
