package org.slipstream.it.guest;

import java.nio.file.Path;
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
import org.slipstream.it.process.RdmaConformanceRow;
import org.slipstream.testkit.conformance.StreamConformance;

/**
 * Runs the conformance suite over RDMA in guests with Soft-RoCE: between two processes, then what
 * needs both ends in one, then what counts allocations; each test in there is a test here.
 */
class RdmaConformanceGuestIT {
  static final String ALLOCATION = RdmaAllocationRow.class.getName();

  /** Groups of which {@link #conformance} leaves out what a relay would change. */
  private static final Set<String> NOT_WHOLE = Set.of("SelectActions", "Readiness");

  /** In a guest whose device was not deleted and whose link was not cut. */
  @TestFactory
  @Timeout(value = SoftRoce.LIMIT_SECONDS, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> conformance(@TempDir Path job) throws Exception {
    return SoftRoce.WANTED.isEmpty()
        ? SoftRoce.run(
            "rdma-conformance",
            job,
            SoftRoce.leftOut(),
            List.of(RdmaConformanceRow.class.getName()))
        : Stream.of();
  }

  /** The groups of the suite that need both ends in one process, in a guest of their own. */
  @TestFactory
  @Timeout(value = SoftRoce.LIMIT_SECONDS, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> inOneProcess(@TempDir Path job) throws Exception {
    return SoftRoce.WANTED.isEmpty()
        ? SoftRoce.run(
            "rdma-one-process", job, runElsewhere(), List.of(RdmaNioConformanceRow.class.getName()))
        : Stream.of();
  }

  /** In a JVM with both compilers: the first one alone makes objects of what need not be any. */
  @TestFactory
  @Timeout(value = SoftRoce.LIMIT_SECONDS, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> allocation(@TempDir Path job) throws Exception {
    return SoftRoce.WANTED.isEmpty() || SoftRoce.WANTED.contains(ALLOCATION)
        ? SoftRoce.run(
            "rdma-allocation",
            job,
            SoftRoce.leftOut(),
            List.of(ALLOCATION),
            "-XX:TieredStopAtLevel=4")
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
}
