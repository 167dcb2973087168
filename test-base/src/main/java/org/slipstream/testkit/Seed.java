package org.slipstream.testkit;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The seed of a random test: new for each run, in its output, and repeatable by a property. Where a
 * test runs again in the same JVM, because CI gives a test that failed a second chance, it gets the
 * seed that it had: a find must not become a flake. The property's name is none of the product's,
 * which refuses names that it does not know.
 */
public final class Seed implements BeforeEachCallback {

  /** The property that repeats a run: {@value}. */
  public static final String PROPERTY = "test.seed";

  /** Of every test that has run in this JVM. */
  private static final Map<String, Long> DRAWN = new ConcurrentHashMap<>();

  private long value;
  private Random random = new Random();

  /** To be registered as an extension. */
  public Seed() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    value = DRAWN.computeIfAbsent(context.getUniqueId(), id -> draw());
    random = new Random(value);
    System.out.printf(
        "%s.%s: -D%s=%d%n",
        context.getRequiredTestClass().getSimpleName(),
        context.getRequiredTestMethod().getName(),
        PROPERTY,
        value);
  }

  /** Draws a seed, or takes the one of the property; the caller reports it. */
  public static long draw() {
    Long fixed = Long.getLong(PROPERTY);
    return fixed != null ? fixed : new SecureRandom().nextLong();
  }

  /** The seed of the test that runs. */
  public long value() {
    return value;
  }

  /** Random numbers from this seed, the same object during a test. */
  public Random random() {
    return random;
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
