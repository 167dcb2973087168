package org.slipstream.it.guest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.process.RdmaConformanceRow;
import org.slipstream.it.process.RdmaPeersRow;
import org.slipstream.rdma.RdmaSessionRow;

/**
 * Runs the rows of sessions and peers, and the conformance suite, in guests with Soft-iWARP. Not
 * part of verify, because the kernel module has to be compiled: {@code -Dit.test=RdmaIwarp}.
 */
class RdmaIwarp {
  private static final int BOOT_SECONDS = 1200;

  private static final String WANTED = System.getProperty("slipstream.guest.rows", "");

  /** Tags of what iWARP does not have, and of what runs only by name over Soft-RoCE too. */
  private static final String LEFT_OUT = "RoCE,VirtualThreads,Tls";

  /** About one half of the tests of the conformance suite; the other half has its own guest. */
  private static final String FIRST_HALF =
      "Buffers,ScatterGather,Transfers,BlockingModes,Selections,SelectActions,SelectorConcurrency";

  /** Soft-iWARP applies it to a superuser too: eight megabytes by default, hardly a session. */
  private static final String NO_LIMIT = "ulimit -l unlimited && ";

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softIwarp(@TempDir Path job) throws Exception {
    String leftOut = System.getProperty("slipstream.guest.exclude", LEFT_OUT);
    return run("rdma-iwarp", job, List.of("-Dslipstream.test.exclude=" + leftOut), rows());
  }

  /** In two guests of its own, as one has not the time for all of it. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> conformance(@TempDir Path job) throws Exception {
    return half(
        "rdma-iwarp-conformance",
        job,
        List.of(
            "-Dslipstream.test.include=" + FIRST_HALF, "-Dslipstream.test.exclude=" + LEFT_OUT));
  }

  /** Whatever is not in the first one. */
  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> restOfTheConformance(@TempDir Path job) throws Exception {
    return half(
        "rdma-iwarp-conformance2",
        job,
        List.of("-Dslipstream.test.exclude=" + LEFT_OUT + "," + FIRST_HALF));
  }

  private static Stream<DynamicTest> half(String name, Path job, List<String> tags)
      throws Exception {
    return WANTED.isEmpty()
        ? run(name, job, tags, List.of(RdmaConformanceRow.class.getName()))
        : Stream.of();
  }

  private static Stream<DynamicTest> run(
      String name, Path job, List<String> tags, List<String> rows) throws Exception {
    Files.copy(Guest.buildSoftIwarp(), job.resolve("siw.ko"));
    List<String> flags = new ArrayList<>(tags);
    flags.add("-Dslipstream.jar=" + System.getProperty("slipstream.jar"));
    flags.add("-Dslipstream.test.address=10.77.0.1");
    flags.add("-Dslipstream.rdma.iwarp=true");
    flags.add("-Dslipstream.test.patience=5");
    return Guest.tests(
        name,
        job,
        BOOT_SECONDS,
        NO_LIMIT + "bash " + Guest.SCRIPTS.resolve("iwarp-device") + " /job/siw.ko",
        flags,
        rows);
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    return WANTED.isEmpty()
        ? List.of(RdmaSessionRow.class.getName(), RdmaPeersRow.class.getName())
        : List.of(WANTED.split(",", -1));
  }
}
