package org.slipstream.it.netty;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** One run of the suite over one row. */
final class SuiteRun implements TestExecutionListener {
  /** How a test ended. */
  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  /** Held, or their levels would be forgotten: lines for each test are too much. */
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("io.netty"), Logger.getLogger(SuiteRun.class.getPackageName()));

  /**
   * Some of Netty's tests have deadlines of their own, which are short for a loaded machine: what
   * fails runs again so often. All failures are printed.
   */
  private static final int REPETITIONS = 2;

  private final NettyRow row;
  private final Map<String, Outcome> outcomes = new TreeMap<>();
  private final Map<String, Long> nanos = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();

  /** Tests that have failed, and not passed since, with their identifiers. */
  private final Map<String, String> failed = new TreeMap<>();

  private long started;
  private long totalNanos;

  private SuiteRun(NettyRow row) {
    this.row = row;
  }

  /** Runs the tests of some classes. */
  static SuiteRun of(NettyRow row, List<Class<?>> classes) {
    LOGGERS.forEach(logger -> logger.setLevel(Level.OFF)); // exceptions are part of the tests
    NettySuite.use(row);
    SuiteRun run = new SuiteRun(row);
    Launcher launcher = LauncherFactory.create();
    long start = System.nanoTime();
    launcher.execute(request(classes.stream().map(DiscoverySelectors::selectClass)), run);
    for (int i = 0; i < REPETITIONS && !run.failed.isEmpty(); i++) {
      launcher.execute(
          request(
              List.copyOf(run.failed.values()).stream().map(DiscoverySelectors::selectUniqueId)),
          run);
    }
    run.totalNanos = System.nanoTime() - start;
    row.stop();
    return run;
  }

  private static LauncherDiscoveryRequest request(Stream<? extends DiscoverySelector> tests) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(tests.toList())
        .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", "60s")
        .build();
  }

  /** The classes of the suite. */
  static List<Class<?>> classes() {
    return Arrays.stream(NettySuite.class.getDeclaredClasses())
        .<Class<?>>map(c -> c)
        .sorted((a, b) -> a.getName().compareTo(b.getName()))
        .toList();
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    started = System.nanoTime();
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (!test.isTest()) {
      result.getThrowable().ifPresent(t -> failures.add(name(test) + ": " + t));
      return;
    }
    nanos.merge(className(test), System.nanoTime() - started, Long::sum);
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        outcomes.put(name(test), Outcome.PASSED);
        if (failed.remove(name(test)) != null) {
          failures.add(name(test) + ": passed when it was repeated");
        }
      }
      case ABORTED -> outcomes.put(name(test), Outcome.SKIPPED);
      case FAILED -> {
        outcomes.put(name(test), Outcome.FAILED);
        failed.put(name(test), test.getUniqueId());
        result.getThrowable().ifPresent(t -> failures.add(name(test) + ": " + t));
      }
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    outcomes.put(name(test), Outcome.SKIPPED);
  }

  private static String name(TestIdentifier test) {
    String[] parts = test.getUniqueId().split("/", -1);
    StringBuilder name = new StringBuilder();
    for (String part : parts) {
      if (part.startsWith("[class:")) {
        name.append(part, part.lastIndexOf('$') + 1, part.length() - 1);
      } else if (part.startsWith("[method:") || part.startsWith("[test-template")) {
        name.append('.').append(part, part.indexOf(':') + 1, part.length() - 1);
      }
    }
    return name.toString();
  }

  private static String className(TestIdentifier test) {
    String name = name(test);
    return name.substring(0, name.indexOf('.'));
  }

  NettyRow row() {
    return row;
  }

  Map<String, Outcome> outcomes() {
    return outcomes;
  }

  List<String> failures() {
    return failures;
  }

  long count(Outcome outcome) {
    return outcomes.values().stream().filter(o -> o == outcome).count();
  }

  long seconds() {
    return totalNanos / 1_000_000_000;
  }

  /** Seconds of each class, the longest first. */
  List<String> slowest() {
    return nanos.entrySet().stream()
        .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
        .limit(8)
        .map(e -> "%6.1f s %s".formatted(e.getValue() / 1e9, e.getKey()))
        .toList();
  }
}
