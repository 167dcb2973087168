package org.slipstream.shm;

import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;

/** The contract between core and backends, over shared memory. */
class ShmConformanceTest extends TransportConformance {
  @Override
  protected Backend backend() {
    return Backend.of(ShmTransport::new);
  }
}
