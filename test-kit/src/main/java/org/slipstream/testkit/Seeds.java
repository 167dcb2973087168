package org.slipstream.testkit;

import java.security.SecureRandom;
import org.junit.jupiter.api.TestReporter;

/**
 * Seeds for random tests: new for each run, in the report, and repeatable by a property. Its name
 * is none of the product's, which refuses names that it does not know.
 */
public final class Seeds {

  /** The property that repeats a run: {@value}. */
  public static final String PROPERTY = "test.seed";

  private Seeds() {}

  /** Draws a seed, or takes the one of the property, and writes it into the report. */
  public static long next(TestReporter reporter) {
    long seed = next();
    reporter.publishEntry(PROPERTY, Long.toString(seed));
    return seed;
  }

  /** Draws a seed, or takes the one of the property; the caller reports it. */
  public static long next() {
    Long fixed = Long.getLong(PROPERTY);
    return fixed != null ? fixed : new SecureRandom().nextLong();
  }
}
