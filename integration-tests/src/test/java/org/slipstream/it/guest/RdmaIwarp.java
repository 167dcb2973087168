package org.slipstream.it.guest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.process.RdmaPeersRow;
import org.slipstream.rdma.RdmaSessionRow;

/**
 * Runs the rows of sessions and peers in a guest with Soft-iWARP. Not part of verify, because the
 * kernel module has to be compiled: {@code -Dit.test=RdmaIwarp}.
 */
class RdmaIwarp {
  private static final int BOOT_SECONDS = 600;

  private static final String WANTED = System.getProperty("slipstream.guest.rows", "");

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softIwarp(@TempDir Path job) throws Exception {
    Files.copy(Guest.buildSoftIwarp(), job.resolve("siw.ko"));
    return Guest.tests(
        "rdma-iwarp",
        job,
        BOOT_SECONDS,
        "bash " + Guest.SCRIPTS.resolve("iwarp-device") + " /job/siw.ko",
        List.of(
            "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
            "-Dslipstream.test.address=10.77.0.1",
            "-Dslipstream.rdma.iwarp=true",
            "-Dslipstream.test.exclude=" + System.getProperty("slipstream.guest.exclude", "RoCE"),
            "-Dslipstream.test.patience=5"),
        rows());
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    return WANTED.isEmpty()
        ? List.of(RdmaSessionRow.class.getName(), RdmaPeersRow.class.getName())
        : List.of(WANTED.split(",", -1));
  }
}
