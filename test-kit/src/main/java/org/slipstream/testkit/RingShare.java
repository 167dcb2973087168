package org.slipstream.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.slipstream.core.status.EndedStreams;

/**
 * Fails a row if too few of its streams have used the ring. A test whose streams stay on TCP passes
 * as well, so that a row by itself does not show what it has tested. Streams of tests that are
 * marked with {@link StaysPlain} do not count, nor do streams that carried no byte.
 */
public final class RingShare implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {

  private record Share(String test, long carried, long onRing) {
    long missed() {
      return carried - onRing;
    }
  }

  private static final int WORST = 20;

  private final Supplier<EndedStreams> ended;
  private final double least;
  private final List<Share> shares = new ArrayList<>(); // tests of a row run one after the other

  private EndedStreams before = new EndedStreams(0, 0, 0);

  /**
   * Watches a row.
   *
   * @param ended of the row's process; not asked before the first test
   * @param least the share of streams that must have used the ring
   */
  public RingShare(Supplier<EndedStreams> ended, double least) {
    this.ended = ended;
    this.least = least;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    before = ended.get();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!staysPlain(context)) {
      EndedStreams closed = ended.get().since(before);
      shares.add(new Share(name(context), closed.carried(), closed.onRing()));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getParent().filter(p -> p.getTestClass().isPresent()).isEmpty()) {
      check();
    }
  }

  private void check() {
    long carried = shares.stream().mapToLong(Share::carried).sum();
    long onRing = shares.stream().mapToLong(Share::onRing).sum();
    String summary =
        String.format(
            Locale.ROOT,
            "%d of %d streams used the ring; at least %.0f %% have to",
            onRing,
            carried,
            100 * least);
    System.out.println(summary);
    if (onRing < least * carried || carried == 0) {
      StringBuilder worst = new StringBuilder(summary).append(". Most streams missed it in:");
      shares.stream()
          .filter(s -> s.missed() > 0)
          .sorted(Comparator.comparingLong(Share::missed).reversed())
          .limit(WORST)
          .forEach(s ->
              worst
                  .append(System.lineSeparator())
                  .append(s.missed())
                  .append(" of ")
                  .append(s.carried())
                  .append("  ")
                  .append(s.test()));
      throw new AssertionError(worst.toString());
    }
  }

  private static boolean staysPlain(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), StaysPlain.class)
        || AnnotationSupport.isAnnotated(context.getTestClass(), StaysPlain.class);
  }

  private static String name(ExtensionContext context) {
    return context.getRequiredTestClass().getSimpleName()
        + "."
        + context.getRequiredTestMethod().getName();
  }
}
