package org.slipstream.it.conformance;

import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.fault.Faults;
import org.slipstream.testkit.fault.FaultyTransport;
import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;
import org.slipstream.transport.Transport;

/**
 * The late links of {@link FaultyNioConformanceTest} are late, and keep the contract. Not with
 * their small windows: some of those never grow, which is the fault.
 */
class FaultyTransportConformanceTest extends TransportConformance {
  private static final class Faulty implements Backend {
    /** Of both processes: each end of a link finds the other in it. */
    private final FaultyTransport transport =
        new FaultyTransport(new ShmTransport(), new Faults(true, true, false), Seed.draw());

    @Override
    public Transport client() {
      return transport;
    }

    @Override
    public Transport server() {
      return transport;
    }
  }

  @Override
  protected Backend backend() {
    return new Faulty();
  }
}
