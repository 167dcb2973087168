package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.asynchronous.AsynchronousConformance;

/** Our asynchronous adapter over kernel TCP: what every stream is until it is upgraded. */
final class PlainAsynchronousConformanceTest extends AsynchronousConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier("plain", new Properties(), List.of());

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
