package org.slipstream.it.guest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.conformance.RdmaAllocationRow;
import org.slipstream.it.conformance.RdmaNioConformanceRow;
import org.slipstream.it.memory.RdmaMemoryRow;
import org.slipstream.it.process.RdmaConformanceRow;
import org.slipstream.it.process.RdmaFailoverRow;
import org.slipstream.it.process.RdmaOrderRow;
import org.slipstream.it.process.RdmaPeersRow;
import org.slipstream.rdma.RdmaEventsRow;
import org.slipstream.rdma.RdmaGarbageRow;
import org.slipstream.rdma.RdmaRemovalRow;
import org.slipstream.rdma.RdmaSessionRow;
import org.slipstream.rdma.RdmaTransportRow;
import org.slipstream.rdma.RdmaUnprovenPeerRow;
import org.slipstream.rdma.RdmaViewsRow;
import org.slipstream.testkit.SelfSigned;
import org.slipstream.testkit.conformance.StreamConformance;

/**
 * Runs the RDMA rows in guests with Soft-RoCE: one boot and one JVM for all of them, two for the
 * conformance suite, and one that counts allocations; each test in there is a test here.
 */
class RdmaGuestIT {
  private static final int BOOT_SECONDS = 1200;

  private static final String WANTED = System.getProperty("slipstream.guest.rows", "");

  private static final String ALLOCATION = RdmaAllocationRow.class.getName();

  /** Tags of what runs only by name: hundreds of threads, and what Soft-RoCE does not always do. */
  private static final String LEFT_OUT = "VirtualThreads,LinkReturn";

  /** With all the addresses that tests of address families want. */
  private static final String DEVICE =
      "rdma-device && ip addr add 10.77.0.2/24 dev roce0 && ip addr add fd77::1/64 dev roce0 nodad";

  /** Groups of which {@link #conformance} leaves out what a relay would change. */
  private static final Set<String> NOT_WHOLE = Set.of("SelectActions", "Readiness");

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softRoce(@TempDir Path job) throws Exception {
    List<String> rows = rows();
    return rows.isEmpty() ? Stream.of() : run("rdma-guest", job, rows);
  }

  /** In a guest of its own, whose device was not deleted and whose link was not cut. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> conformance(@TempDir Path job) throws Exception {
    return WANTED.isEmpty()
        ? run("rdma-conformance", job, List.of(RdmaConformanceRow.class.getName()))
        : Stream.of();
  }

  /** The groups of the suite that need both ends in one process, in a guest of their own. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> inOneProcess(@TempDir Path job) throws Exception {
    return WANTED.isEmpty()
        ? run(
            "rdma-one-process", job, runElsewhere(), List.of(RdmaNioConformanceRow.class.getName()))
        : Stream.of();
  }

  /** In a JVM with both compilers: the first one alone makes objects of what need not be any. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> allocation(@TempDir Path job) throws Exception {
    return WANTED.isEmpty() || WANTED.contains(ALLOCATION)
        ? run("rdma-allocation", job, leftOut(), List.of(ALLOCATION), "-XX:TieredStopAtLevel=4")
        : Stream.of();
  }

  /**
   * Tags of the groups that {@link #conformance} runs, but for those of which it leaves out some,
   * and of the one that {@link #allocation} runs.
   */
  private static String runElsewhere() {
    return Stream.concat(
            Arrays.stream(StreamConformance.class.getDeclaredClasses())
                .map(Class::getSimpleName)
                .filter(group -> !NOT_WHOLE.contains(group)),
            Stream.of("Allocation"))
        .collect(Collectors.joining(","));
  }

  private static Stream<DynamicTest> run(String name, Path job, List<String> rows)
      throws Exception {
    return run(name, job, leftOut(), rows);
  }

  private static String leftOut() {
    return WANTED.isEmpty() ? LEFT_OUT : "none";
  }

  private static Stream<DynamicTest> run(
      String name, Path job, String leftOut, List<String> rows, String... moreFlags)
      throws Exception {
    Guest.build();
    SelfSigned.make(job.resolve("keystore"));
    List<String> flags = new ArrayList<>(flags(leftOut));
    flags.addAll(List.of(moreFlags));
    return Guest.tests(name, job, BOOT_SECONDS, DEVICE, flags, rows);
  }

  private static List<String> flags(String leftOut) {
    return List.of(
        "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
        "-Dslipstream.test.address=10.77.0.1",
        "-Dslipstream.test.address2=10.77.0.2",
        "-Dslipstream.test.address6=fd77::1",
        "-Dslipstream.test.keystore=/job/keystore",
        "-Dslipstream.test.patience=5",
        "-Dslipstream.test.extent=4",
        // Netty's memory is sent without a copy only then; below 512 MB its adaptive allocator does
        // not pool.
        "--sun-misc-unsafe-memory-access=allow",
        "-Xmx600m",
        "-Dslipstream.test.exclude=" + System.getProperty("slipstream.guest.exclude", leftOut));
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    return WANTED.isEmpty()
        ? Stream.of(
                RdmaFailoverRow.class,
                RdmaPeersRow.class,
                RdmaOrderRow.class,
                RdmaSessionRow.class,
                RdmaMemoryRow.class,
                RdmaUnprovenPeerRow.class,
                RdmaTransportRow.class,
                RdmaViewsRow.class,
                RdmaGarbageRow.class,
                RdmaRemovalRow.class,
                RdmaEventsRow.class) // last: librdmacm keeps what it can not close
            .map(Class::getName)
            .toList()
        : Stream.of(WANTED.split(",", -1)).filter(row -> !row.equals(ALLOCATION)).toList();
  }
}
