package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contracts over shared memory in a JVM of AArch64, or another processor, in an emulator: each test
 * in there is a test here. Of all three adapters, those that other processors may answer
 * differently: bytes between all kinds of buffers, selectors and their doorbells, completions, ends
 * of streams. {@code -Dslipstream.emulated.groups=…} runs other groups, {@code all} is every one,
 * which needs a later deadline.
 */
class OtherProcessorIT {
  /** {@code -Dslipstream.emulated.seconds=…} for more groups. */
  private static final int SECONDS = Integer.getInteger("slipstream.emulated.seconds", 900);

  private static final List<String> ROWS =
      List.of(
          "org.slipstream.it.conformance.ShmNioConformanceTest",
          "org.slipstream.it.conformance.ShmSocketConformanceTest",
          "org.slipstream.it.conformance.ShmAsynchronousConformanceTest");

  private static final String GROUPS =
      System.getProperty(
          "slipstream.emulated.groups",
          "Buffers,WakeUps,Transfers,HalfClose,"
              + "SocketEnds,AsynchronousTransfers,AsynchronousEnds");

  /** Groups that {@code -Dslipstream.emulated.exclude=…} leaves out. */
  private static final String LEFT_OUT = System.getProperty("slipstream.emulated.exclude", "none");

  /** The process has a deadline of its own, which a property may make as long as this. */
  @TestFactory
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  Stream<DynamicTest> overSharedMemory(@TempDir Path job) throws Exception {
    List<String> flags =
        new ArrayList<>(
            List.of(
                "-Xmx600m",
                "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
                "-Dslipstream.test.patience=5",
                "-Dslipstream.test.extent=10",
                "-Dslipstream.test.exclude=" + LEFT_OUT));
    List<String> rows = ROWS;
    if (!GROUPS.equals("all")) {
      flags.add("-Dslipstream.test.include=" + GROUPS);
      rows = rowsWith(Set.of(GROUPS.split(",", -1)));
    }
    Process process =
        new ProcessBuilder(Guest.command(EmulatedJava.home(), job, flags, rows))
            .redirectErrorStream(true)
            .redirectOutput(job.resolve("output").toFile())
            .start();
    try {
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Guest.tests("other-processor", new Guest.Outcome(process.exitValue(), "", job), rows);
  }

  /** The rows that have one of the groups: of each of them some test has to run. */
  private static List<String> rowsWith(Set<String> groups) throws ClassNotFoundException {
    List<String> rows = new ArrayList<>();
    for (String row : ROWS) {
      boolean some =
          Arrays.stream(Class.forName(row).getSuperclass().getDeclaredClasses())
              .flatMap(group -> Stream.of(group.getAnnotationsByType(Tag.class)))
              .anyMatch(tag -> groups.contains(tag.value()));
      if (some) {
        rows.add(row);
      }
    }
    assertThat(rows).as("rows with the groups " + groups).isNotEmpty();
    return rows;
  }
}
