package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a test needs of the machine. A newcomer's machine without it skips the test with the reason;
 * CI never skips, because nobody would notice.
 */
public final class Requirement {
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
    assumeTrue(met, reason);
  }
}
