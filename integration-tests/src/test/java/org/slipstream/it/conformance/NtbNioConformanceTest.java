package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.conformance.NioConformance;

/**
 * Our adapter over segments of another node, on them from the first byte of each stream on; {@link
 * NtbDeferredNioConformanceTest} switches as a program's streams do.
 */
@ExtendWith(NeedsLoopback.class)
final class NtbNioConformanceTest extends NioConformance {

  /** Made by the first test, and so not where the library is missing. */
  private static final class Row {
    static final EagerRow EAGER = new EagerRow("ntb-eager", LoopbackNodes.transport(), true);
  }

  @RegisterExtension static final RingShare SHARE = EagerRow.share(() -> Row.EAGER);

  @Override
  protected Carrier carrier() {
    return Row.EAGER.carrier();
  }
}
