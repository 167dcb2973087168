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
import org.slipstream.it.process.NtbGuestsRow;

/**
 * Two kernels that see one BAR: the nearest thing to two hosts behind a bridge. Guest 8 runs an
 * echo server and guest 4 the tests of {@link NtbGuestsRow}, against it; each test in there is a
 * test here.
 */
class NtbGuestsIT {
  private static final int BOOT_SECONDS = 480;
  private static final long WINDOW_BYTES = 16 << 20;

  /** Shell commands that make the BAR {@code /tmp/window}, and say which host is which node. */
  static final String WINDOW =
      """
      for device in /sys/bus/pci/devices/*; do
        if [ "$(cat $device/vendor) $(cat $device/device)" = "0x1af4 0x1110" ]; then
          echo 1 >$device/enable
          resource=$device/resource2_wc
          [ -e $resource ] || resource=$device/resource2
          ln -s $resource /tmp/window
        fi
      done
      ls -lL /tmp/window
      printf '10.78.0.4 4@/tmp/window\\n10.78.0.8 8@/tmp/window\\n' >/tmp/hosts
      """;

  private static final String SCRIPT = TwoGuests.NETWORK + WINDOW + TwoGuests.ROLES;

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> ivshmem(@TempDir Path job) throws Exception {
    Guest.build();
    List<String> rows = List.of(NtbGuestsRow.class.getName());
    List<String> client =
        Guest.command(
            List.of(
                "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
                "-Dslipstream.test.patience=3"), // less than BOOT_SECONDS: a failure says why
            rows);
    TwoGuests.Outcome outcome =
        new TwoGuests(job, BOOT_SECONDS)
            .withWindow(WINDOW_BYTES)
            .run(
                8,
                4,
                SCRIPT
                    .replace("SERVER", String.join(" ", NtbGuestsRow.server()))
                    .replace("CLIENT", String.join(" ", client)));
    String report =
        outcome.console()
            + "\nserver:\n"
            + text(job, "server.log")
            + Crash.shortened(text(job, "output"));
    return Stream.concat(
        Stream.of(
            dynamicTest(
                "both guests ran to their ends",
                () -> {
                  assertThat(outcome.code()).as(report).isZero();
                  assertThat(outcome.otherCode()).as(report).isZero();
                })),
        Guest.results(rows, job, report));
  }

  private static String text(Path job, String name) throws Exception {
    Path file = job.resolve(name);
    return Files.exists(file) ? Files.readString(file) : "(no " + name + ")";
  }
}
