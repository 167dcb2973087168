package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.asynchronous.AsynchronousConformance;

/** Our asynchronous adapter over shared memory. */
final class ShmAsynchronousConformanceTest extends AsynchronousConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("shm", new Properties(), List.of(new ShmTransport()));

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
