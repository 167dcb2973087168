package org.slipstream.it.guest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.slipstream.testkit.SelfSigned;

/** A guest with a Soft-RoCE device, and the settings of the rows that run in it. */
final class SoftRoce {
  /** Seconds of a test that boots one: a guest is switched off before. */
  static final int LIMIT_SECONDS = 1800;

  /** Rows to be run instead of all, with commas between. */
  static final String WANTED = System.getProperty("slipstream.guest.rows", "");

  private static final int BOOT_SECONDS = 1500;

  /** Tags of what runs only by name: hundreds of threads, and what Soft-RoCE does not always do. */
  private static final String LEFT_OUT = "VirtualThreads,LinkReturn";

  /** With all the addresses that tests of address families want. */
  private static final String DEVICE =
      "rdma-device && ip addr add 10.77.0.2/24 dev roce0 && ip addr add fd77::1/64 dev roce0 nodad";

  private SoftRoce() {}

  /** What is not run: nothing of what is asked for by name. */
  static String leftOut() {
    return WANTED.isEmpty() ? LEFT_OUT : "none";
  }

  /**
   * Boots, and runs rows in one JVM.
   *
   * @param leftOut tags, with commas between
   */
  static Stream<DynamicTest> run(
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
        "-Dslipstream.test.peers=" + Integer.getInteger("slipstream.test.peers", 16),
        "-Dslipstream.test.streams=" + Integer.getInteger("slipstream.test.streams", 1_000),
        "-Dslipstream.test.exclude=" + System.getProperty("slipstream.guest.exclude", leftOut));
  }
}
