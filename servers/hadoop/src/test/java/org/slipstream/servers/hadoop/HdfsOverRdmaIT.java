package org.slipstream.servers.hadoop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.slipstream.servers.Guest;

/** {@link HdfsOverRdma} in a virtual machine, which takes a quarter of an hour and more. */
class HdfsOverRdmaIT {
  /** Nine JVMs, and what the data nodes hold. */
  private static final int MEMORY_MB = 6144;

  @Test
  @EnabledIfSystemProperty(
      named = "slipstream.servers.rdma",
      matches = "true",
      disabledReason = "asked for by: ./slipstream servers --rdma hadoop")
  void accessesTravelOverQueuePairs() throws Exception {
    Guest.measure(HdfsOverRdma.class, MEMORY_MB);
  }
}
