package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;

/**
 * Over segments into which stores come late and out of order, by a library with other constants: a
 * missing flush is a test that does not end.
 */
@ExtendWith(NeedsLoopback.class)
final class NtbDeferredNioConformanceTest extends NioConformance {

  private static final Carrier CARRIER =
      new SlipstreamCarrier(
          "ntb-deferred", settings(), List.of(LoopbackNodes.transport("permuted", true)));

  /** The double compares all that is mapped at each flush: little is quicker. */
  private static Properties settings() {
    Properties settings = new Properties();
    settings.setProperty("slipstream.ring.size", "16k");
    return settings;
  }

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
