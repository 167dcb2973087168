package org.slipstream.it.guest;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.memory.RdmaMemoryRow;
import org.slipstream.it.process.RdmaFailoverRow;
import org.slipstream.it.process.RdmaOrderRow;
import org.slipstream.it.process.RdmaPeersRow;
import org.slipstream.it.process.RdmaRailsRow;
import org.slipstream.it.process.RdmaShortHeapRow;
import org.slipstream.rdma.RdmaEventsRow;
import org.slipstream.rdma.RdmaGarbageRow;
import org.slipstream.rdma.RdmaRemovalRow;
import org.slipstream.rdma.RdmaScaleRow;
import org.slipstream.rdma.RdmaSessionRow;
import org.slipstream.rdma.RdmaTransportRow;
import org.slipstream.rdma.RdmaUnprovenPeerRow;
import org.slipstream.rdma.RdmaViewsRow;

/**
 * Runs the RDMA rows in a guest with Soft-RoCE, in one boot and one JVM, but for the conformance
 * suite ({@link RdmaConformanceGuestIT}); each test in there is a test here.
 */
@ExtendWith(GuestTurn.class)
class RdmaGuestIT {
  /** The other test of the row connects many peers, which takes minutes on a loaded host. */
  private static final String MANY_STREAMS =
      RdmaScaleRow.class.getName() + "#manyStreamsShareASessionAndGiveTheirMemoryBack";

  @TestFactory
  @Timeout(value = SoftRoce.LIMIT_SECONDS, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softRoce(@TempDir Path job) throws Exception {
    List<String> rows = rows();
    return rows.isEmpty() ? Stream.of() : SoftRoce.run("rdma-guest", job, SoftRoce.leftOut(), rows);
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    return SoftRoce.WANTED.isEmpty()
        ? Stream.concat(Stream.of(MANY_STREAMS), classes()).toList()
        : Stream.of(SoftRoce.WANTED.split(",", -1))
            .filter(row -> !row.equals(RdmaConformanceGuestIT.ALLOCATION))
            .toList();
  }

  private static Stream<String> classes() {
    return Stream.of(
            RdmaFailoverRow.class,
            RdmaRailsRow.class,
            RdmaPeersRow.class,
            RdmaShortHeapRow.class,
            RdmaOrderRow.class,
            RdmaSessionRow.class,
            RdmaMemoryRow.class,
            RdmaUnprovenPeerRow.class,
            RdmaTransportRow.class,
            RdmaViewsRow.class,
            RdmaGarbageRow.class,
            RdmaRemovalRow.class,
            RdmaEventsRow.class) // last: librdmacm keeps what it can not close
        .map(Class::getName);
  }
}
