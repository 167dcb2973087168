package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contracts over shared memory in a JVM of AArch64, or another processor, in an emulator: each test
 * in there is a test here. Those that other processors may answer differently: bytes between all
 * kinds of buffers, selectors and their doorbells, ends of streams.
 */
class OtherProcessorIT {
  private static final int SECONDS = 900;

  private static final List<String> ROWS =
      List.of("org.slipstream.it.conformance.ShmNioConformanceTest");

  /** Of the row; {@code -Dslipstream.emulated.groups=…} runs others. */
  private static final String GROUPS =
      System.getProperty("slipstream.emulated.groups", "Buffers,WakeUps,Transfers,HalfClose");

  @TestFactory
  @Timeout(value = SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> overSharedMemory(@TempDir Path job) throws Exception {
    List<String> flags =
        List.of(
            "-Xmx600m",
            "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
            "-Dslipstream.test.patience=5",
            "-Dslipstream.test.extent=10",
            "-Dslipstream.test.include=" + GROUPS);
    Process process =
        new ProcessBuilder(Guest.command(EmulatedJava.home(), job, flags, ROWS))
            .redirectErrorStream(true)
            .redirectOutput(job.resolve("output").toFile())
            .start();
    try {
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Guest.tests("other-processor", new Guest.Outcome(process.exitValue(), "", job), ROWS);
  }
}
