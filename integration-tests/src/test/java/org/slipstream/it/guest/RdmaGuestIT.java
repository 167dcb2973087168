package org.slipstream.it.guest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.conformance.RdmaAllocationRow;
import org.slipstream.it.process.RdmaConformanceRow;
import org.slipstream.it.process.RdmaFailoverRow;
import org.slipstream.it.process.RdmaPeersRow;
import org.slipstream.rdma.RdmaEventsRow;
import org.slipstream.rdma.RdmaGarbageRow;
import org.slipstream.rdma.RdmaRemovalRow;
import org.slipstream.rdma.RdmaSessionRow;
import org.slipstream.rdma.RdmaViewsRow;

/**
 * Runs the RDMA rows in guests with Soft-RoCE: one boot and one JVM for all of them, one for the
 * conformance suite, and one that counts allocations; each test in there is a test here.
 */
class RdmaGuestIT {
  private static final int BOOT_SECONDS = 1200;

  private static final String WANTED = System.getProperty("slipstream.guest.rows", "");

  private static final String ALLOCATION = RdmaAllocationRow.class.getName();

  /**
   * Tags of what runs only by name: hundreds of threads, JVMs that make certificates, and what
   * Soft-RoCE does not always do.
   */
  private static final String LEFT_OUT = "VirtualThreads,Tls,LinkReturn";

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softRoce(@TempDir Path job) throws Exception {
    List<String> rows = rows();
    return rows.isEmpty() ? Stream.of() : run("rdma-guest", job, rows);
  }

  /** In a guest of its own, whose device nobody has deleted and whose link nobody has cut. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> conformance(@TempDir Path job) throws Exception {
    return WANTED.isEmpty()
        ? run("rdma-conformance", job, List.of(RdmaConformanceRow.class.getName()))
        : Stream.of();
  }

  /** In a JVM with both compilers: the first one alone makes objects of what need not be any. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> allocation(@TempDir Path job) throws Exception {
    return WANTED.isEmpty() || WANTED.contains(ALLOCATION)
        ? run("rdma-allocation", job, List.of(ALLOCATION), "-XX:TieredStopAtLevel=4")
        : Stream.of();
  }

  private static Stream<DynamicTest> run(
      String name, Path job, List<String> rows, String... moreFlags) throws Exception {
    Guest.build();
    List<String> flags = flags();
    flags.addAll(List.of(moreFlags));
    return Guest.tests(name, job, BOOT_SECONDS, "rdma-device", flags, rows);
  }

  private static List<String> flags() {
    List<String> flags = new ArrayList<>();
    flags.add("-Dslipstream.jar=" + System.getProperty("slipstream.jar"));
    flags.add("-Dslipstream.test.address=10.77.0.1");
    flags.add("-Dslipstream.test.patience=5");
    // Netty's memory is lent only then; below 512 MB its adaptive allocator does not pool.
    flags.add("--sun-misc-unsafe-memory-access=allow");
    flags.add("-Xmx600m");
    String leftOut = WANTED.isEmpty() ? LEFT_OUT : "none";
    flags.add(
        "-Dslipstream.test.exclude=" + System.getProperty("slipstream.guest.exclude", leftOut));
    return flags;
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    return WANTED.isEmpty()
        ? Stream.of(
                RdmaFailoverRow.class,
                RdmaPeersRow.class,
                RdmaSessionRow.class,
                RdmaViewsRow.class,
                RdmaGarbageRow.class,
                RdmaRemovalRow.class,
                RdmaEventsRow.class) // last: librdmacm keeps what it can not close
            .map(Class::getName)
            .toList()
        : Stream.of(WANTED.split(",", -1)).filter(row -> !row.equals(ALLOCATION)).toList();
  }
}
