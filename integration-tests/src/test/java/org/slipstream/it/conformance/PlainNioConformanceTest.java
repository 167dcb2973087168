package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/** Our adapter over kernel TCP: what every stream is until it is upgraded. */
final class PlainNioConformanceTest extends NioConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("plain", new Properties(), List.of());

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
