package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.conformance.WaitingNioConformance;

/** The same over shared memory, where blocked readers sleep on the TCP connection at once. */
final class AsleepNioConformanceTest extends WaitingNioConformance {

  @RegisterExtension static final RingShare SHARE = AsleepRow.TCP.share();

  @Override
  protected Carrier carrier() {
    return AsleepRow.TCP.carrier();
  }
}
