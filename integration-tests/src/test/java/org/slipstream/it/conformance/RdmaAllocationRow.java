package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Nested;
import org.slipstream.rdma.RdmaTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Row;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.AllocationContract;

/**
 * Reading and writing over a queue pair does not allocate. Both ends are in this JVM, whose
 * optimising compiler is on. Runs inside the guest.
 */
public class RdmaAllocationRow extends Row {
  private static final Carrier CARRIER = new TwoCores(core(), core());

  private static SlipstreamCarrier core() {
    return new SlipstreamCarrier("rdma", new Properties(), List.of(new RdmaTransport()));
  }

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }

  @Nested
  class Allocation extends AllocationContract {}
}
