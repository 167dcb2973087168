package org.slipstream.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.Carrier;
import org.slipstream.benchmarks.driver.Counting;
import org.slipstream.benchmarks.driver.Exercise;
import org.slipstream.benchmarks.driver.Plan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures what counting costs. */
@Command(
    name = "counting",
    description =
        "Measures what Slipstream's counters cost a round trip while nobody looks at them.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class CountingCommand implements Callable<Integer> {
  private static final int MOST_LAUNCHES = 1000;

  @Option(
      names = "--launches",
      paramLabel = "N",
      defaultValue = "12",
      description = "How often all programs are started anew (default: ${DEFAULT-VALUE}).")
  private int launches;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "blocking",
      description =
          "How the programs wait: blocking, selector, busy or socket (default: blocking).")
  private String mode;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "64",
      description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
  private String size;

  @Mixin private CommonOptions common;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    Plan plan;
    try {
      if (launches < 1 || launches > MOST_LAUNCHES) {
        throw new IllegalArgumentException(
            "--launches must be between 1 and " + MOST_LAUNCHES + ".");
      }
      plan =
          common.plan(
              new CommonOptions.Request(
                  Exercise.PING_PONG,
                  mode,
                  String.join(",", List.of(Carrier.SHM_UNCOUNTED.label(), Carrier.SHM.label())),
                  size,
                  1,
                  0,
                  0,
                  1,
                  1,
                  false));
    } catch (IllegalArgumentException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage(), bad);
    }
    return new Counting(plan, launches, System.out, System.err).run();
  }
}
