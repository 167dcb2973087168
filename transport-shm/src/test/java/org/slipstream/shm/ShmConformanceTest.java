package org.slipstream.shm;

import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;
import org.slipstream.transport.Transport;

/** The contract between core and backends, over shared memory. */
class ShmConformanceTest extends TransportConformance {
  private static final class Shm implements Backend {
    @Override
    public Transport client() {
      return new ShmTransport();
    }

    @Override
    public Transport server() {
      return new ShmTransport();
    }
  }

  @Override
  protected Backend backend() {
    return new Shm();
  }
}
