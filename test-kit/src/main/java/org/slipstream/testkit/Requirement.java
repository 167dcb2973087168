package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a test needs of the machine. A newcomer's machine without it skips the test with the reason;
 * CI never skips, because a skipped test is not noticed.
 */
public final class Requirement {
  /** Of the module; {@code config/BuildReport.java} reads it. */
  private static final Path FOLDER = Path.of("target", "skipped-tests");

  private Requirement() {}

  /**
   * Skips the test, or fails it in CI.
   *
   * @param met whether the machine has it
   * @param reason what it needs
   */
  public static void require(boolean met, String reason) {
    if (!met && "true".equals(System.getenv("CI"))) {
      fail("CI must have what this test needs: " + reason);
    }
    if (!met) {
      record(reason);
    }
    assumeTrue(met, reason);
  }

  /**
   * For the end of the build: the report of a class that is skipped as a whole does not say why.
   */
  private static void record(String reason) {
    String line = reason.lines().findFirst().orElse("") + System.lineSeparator();
    try {
      Path file = Files.createDirectories(FOLDER).resolve(ProcessHandle.current().pid() + ".txt");
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      System.err.println("Skipped: " + line + e);
    }
  }
}
