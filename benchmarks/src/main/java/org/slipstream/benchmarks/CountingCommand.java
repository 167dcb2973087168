package org.slipstream.benchmarks;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.Carrier;
import org.slipstream.benchmarks.driver.Counting;
import org.slipstream.benchmarks.driver.Exercise;
import org.slipstream.benchmarks.driver.Plan;
import org.slipstream.benchmarks.programs.Mode;
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
        "Measures what Slipstream's counters cost a round trip while no tool looks at them.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class CountingCommand implements Callable<Integer> {
  private static final int MOST_MINUTES = 1440;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "How long fresh pairs of programs are compared (default: ${DEFAULT-VALUE}).")
  private int minutes;

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
      if (minutes < 1 || minutes > MOST_MINUTES) {
        throw new IllegalArgumentException("--minutes must be between 1 and " + MOST_MINUTES + ".");
      }
      plan =
          common.plan(
              new CommonOptions.Request(
                  Exercise.PING_PONG,
                  Mode.BLOCKING.label(),
                  Carrier.SHM.label(),
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
    return new Counting(plan, Duration.ofMinutes(minutes), System.out, System.err).run();
  }
}
