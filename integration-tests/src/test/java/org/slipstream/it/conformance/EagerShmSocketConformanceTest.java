package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.socket.SocketConformance;

/** The same over shared memory, on the ring from the first byte of each stream on. */
final class EagerShmSocketConformanceTest extends SocketConformance {

  @RegisterExtension static final RingShare SHARE = EagerRow.SHM.share();

  @Override
  protected Carrier carrier() {
    return EagerRow.SHM.carrier();
  }
}
