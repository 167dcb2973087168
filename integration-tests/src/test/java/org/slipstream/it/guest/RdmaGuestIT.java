package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

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
 * Runs the RDMA rows in a guest with Soft-RoCE: one boot and one JVM for all of them; each test in
 * there is a test here.
 */
class RdmaGuestIT {
  private static final int BOOT_SECONDS = 900;

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softRoce(@TempDir Path job) throws Exception {
    Guest.build();
    Guest.Outcome outcome =
        Guest.run(
            job,
            BOOT_SECONDS,
            "rdma-device",
            List.of(
                "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
                "-Dslipstream.test.address=10.77.0.1",
                "-Dslipstream.test.patience=5"),
            rows());
    String report = outcome.console() + "\n" + output(job);
    Files.writeString(Path.of("target", "rdma-guest.txt"), report);
    // The JVM has said everything that it had to say.
    return Stream.concat(
        Stream.of(
            dynamicTest(
                "the guest ran to its end", () -> assertThat(outcome.code()).as(report).isZero())),
        Guest.results(job, report));
  }

  /** All of them, or those that {@code slipstream.guest.rows} names, with commas between. */
  private static List<String> rows() {
    String wanted = System.getProperty("slipstream.guest.rows", "");
    return wanted.isEmpty()
        ? Stream.of(RdmaSessionRow.class, RdmaPeersRow.class).map(Class::getName).toList()
        : List.of(wanted.split(",", -1));
  }

  private static String output(Path job) throws Exception {
    Path output = job.resolve("output");
    return Files.exists(output) ? Files.readString(output) : "(the JVM did not start)";
  }
}
