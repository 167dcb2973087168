package org.slipstream.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.FirstMoments;
import org.slipstream.benchmarks.driver.RowsFile;
import org.slipstream.benchmarks.driver.Starts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the first moments of a process. */
@Command(
    name = "start",
    description =
        "Measures JVM start to main, and the first connect with one exchange, of new processes:"
            + " the stock JDK, Slipstream, and both with an AOT cache, in turns. With --exchanges it"
            + " measures the first exchanges of new pairs of processes, for a socket, a blocking"
            + " channel and a selector.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class StartCommand implements Callable<Integer> {
  private static final Pattern CORES = Pattern.compile("\\d+([,-]\\d+)*");

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Processes, or pairs, of each row and kind of socket (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--exchanges",
      paramLabel = "N",
      description = "Measure the time of so many first exchanges, connect included.")
  private @Nullable Integer exchanges;

  @Option(
      names = "--cores",
      paramLabel = "LIST",
      description =
          "With --exchanges: cores on which both processes of a pair run, such as 0,1 or 0-3"
              + " (by taskset; default: all).")
  private @Nullable String cores;

  @Mixin private JsonOption json;

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
    if (exchanges != null && exchanges < 1) {
      throw new ParameterException(spec.commandLine(), "--exchanges must be a positive number.");
    }
    if (cores != null && (exchanges == null || !CORES.matcher(cores).matches())) {
      throw new ParameterException(
          spec.commandLine(), "--cores takes a list such as 0,1 or 0-3, and needs --exchanges.");
    }
    RowsFile rows = json.file(spec);
    String jar = System.getProperty("slipstream.jar");
    if (jar == null) {
      throw new ParameterException(
          spec.commandLine(), "Start this command with ./slipstream, which knows the agent.");
    }
    if (exchanges != null) {
      return new FirstMoments(
              Path.of(jar), jvmArguments, rounds, exchanges, cores, spec.commandLine().getOut())
          .run(rows, spec.commandLine().getErr());
    }
    return new Starts(Path.of(jar), jvmArguments, rounds, spec.commandLine().getOut())
        .run(rows, spec.commandLine().getErr());
  }
}
