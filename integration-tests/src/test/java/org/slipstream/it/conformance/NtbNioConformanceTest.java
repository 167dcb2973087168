package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.conformance.NioConformance;

/**
 * Our adapter over segments of another node, on them from the first byte of each stream on; {@link
 * NtbDeferredNioConformanceTest} switches as a program's streams do.
 */
final class NtbNioConformanceTest extends NioConformance {

  private static final EagerRow ROW = new EagerRow("ntb-eager", LoopbackNodes.transport(), true);

  @RegisterExtension static final RingShare SHARE = ROW.share();

  @Override
  protected Carrier carrier() {
    return ROW.carrier();
  }
}
