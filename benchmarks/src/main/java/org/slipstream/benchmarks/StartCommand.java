package org.slipstream.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.Starts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the first moments of a process. */
@Command(
    name = "start",
    description =
        "Measures JVM start to main, and the first connect with one exchange, of new processes:"
            + " the stock JDK, Slipstream, and both with an AOT cache, in turns.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class StartCommand implements Callable<Integer> {
  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Processes of each row and kind of socket (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--jvm-arg",
      paramLabel = "ARG",
      description = "An argument for each measured JVM; may be repeated.")
  private List<String> jvmArguments = new ArrayList<>();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    if (rounds < 1) {
      throw new ParameterException(spec.commandLine(), "--rounds must be a positive number.");
    }
    String jar = System.getProperty("slipstream.jar");
    if (jar == null) {
      throw new ParameterException(
          spec.commandLine(), "Start this command with ./slipstream, which knows the agent.");
    }
    return new Starts(Path.of(jar), jvmArguments, rounds, spec.commandLine().getOut())
        .run(spec.commandLine().getErr());
  }
}
