package org.slipstream.it.guest;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs JUnit classes inside the guest, and writes a line for each test that has ended: {@code
 * NAME<tab>passed|failed|skipped<tab>why, in base 64}.
 */
public final class GuestMain {
  private GuestMain() {}

  /**
   * Runs.
   *
   * @param args the file of results, then class names, each perhaps with {@code #method}
   */
  public static void main(String[] args) {
    Path results = Path.of(args[0]);
    var request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(args).skip(1).map(GuestMain::selector).toList())
            .filters(
                EngineFilter.includeEngines("junit-jupiter"), // jqwik keeps a file, /job can not
                TagFilter.excludeTags(tags("slipstream.test.exclude", "none")))
            .configurationParameter(
                "junit.jupiter.execution.timeout.testable.method.default", "10 m")
            .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true");
    String only = "slipstream.test.include";
    if (System.getProperty(only) != null) {
      request.filters(TagFilter.includeTags(tags(only, "none")));
    }
    LauncherFactory.create().execute(request.build(), new Recorder(results));
    System.exit(0); // threads of a test that hangs do not keep the guest
  }

  private static String[] tags(String property, String otherwise) {
    return System.getProperty(property, otherwise).split(",", -1);
  }

  private static DiscoverySelector selector(String row) {
    return row.contains("#")
        ? DiscoverySelectors.selectMethod(row)
        : DiscoverySelectors.selectClass(row);
  }

  private static final class Recorder implements TestExecutionListener {
    private final Path results;
    private TestPlan plan;

    Recorder(Path results) {
      this.results = results;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
      plan = testPlan;
      System.out.println(Crash.TESTS_BEGIN);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
      if (test.isTest()) {
        System.out.println(System.currentTimeMillis() % 1_000_000 + " " + name(test));
      }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      record(test, "skipped", reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> {
          if (test.isTest()) {
            record(test, "passed", "");
          }
        }
        case ABORTED -> record(test, "skipped", stack(result));
        case FAILED -> record(test, "failed", stack(result));
      }
    }

    private static String stack(TestExecutionResult result) {
      StringWriter out = new StringWriter();
      result.getThrowable().ifPresent(t -> t.printStackTrace(new PrintWriter(out, true)));
      return out.toString();
    }

    private void record(TestIdentifier test, String status, String why) {
      String reason = Base64.getEncoder().encodeToString(why.getBytes(StandardCharsets.UTF_8));
      try {
        Files.writeString(
            results,
            name(test) + "\t" + status + "\t" + reason + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private String name(TestIdentifier test) {
      Deque<String> names = new ArrayDeque<>();
      for (var at = java.util.Optional.of(test);
          at.isPresent() && plan.getParent(at.get()).isPresent();
          at = plan.getParent(at.get())) {
        names.push(at.get().getDisplayName().replaceAll("[\t\n]", " "));
      }
      return names.isEmpty() ? "discovery" : String.join(" / ", names);
    }
  }
}
