package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.conformance.WaitingNioConformance;

/** The same over shared memory, where blocked readers sleep on a futex at once. */
final class FutexNioConformanceTest extends WaitingNioConformance {

  @RegisterExtension static final RingShare SHARE = AsleepRow.FUTEX.share();

  @RegisterExtension static final AfterAllCallback RINGS = AsleepRow.FUTEX.rings();

  @Override
  protected Carrier carrier() {
    return AsleepRow.FUTEX.carrier();
  }
}
