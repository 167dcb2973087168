package org.slipstream.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.Crowd;
import org.slipstream.benchmarks.driver.RowsFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures one server with very many connections. */
@Command(
    name = "crowd",
    description =
        "Measures one server with many connections of which some or all are busy: connect rate,"
            + " memory for each connection, round trip of the busy ones, and the CPU time of both"
            + " ends for it. The client has one selector in every mode; each busy connection has"
            + " one message of 64 bytes under way, and sends the next when the answer was read.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class CrowdCommand implements Callable<Integer> {
  private static final int MOST_CONNECTIONS = 1_000_000;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "selector",
      description =
          "What serves the connections: selector (one thread), netty (one event loop; NIO on TCP"
              + " against our transport), threads or virtual (one for each connection; default:"
              + " ${DEFAULT-VALUE}).")
  private Crowd.Mode mode;

  @Option(
      names = "--connections",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "10,100,1000,10000",
      description = "How many connections (default: ${DEFAULT-VALUE}).")
  private List<Integer> connections;

  @Option(
      names = "--busy",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many of them are busy, or all if there are fewer (${DEFAULT-VALUE}).")
  private int busy;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "Time for the busy ones (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long they run before that (default: ${DEFAULT-VALUE}).")
  private double warmup;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each is measured, in new processes (default: ${DEFAULT-VALUE}).")
  private int turns;

  @Mixin private JsonOption json;

  @Option(
      names = "--jvm-arg",
      paramLabel = "ARG",
      description = "An argument for each measured JVM; may be repeated.")
  private List<String> jvmArguments = new ArrayList<>();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    for (int n : connections) {
      if (n < 1 || n > MOST_CONNECTIONS || busy < 1 || seconds <= 0 || warmup < 0 || turns < 1) {
        throw new ParameterException(
            spec.commandLine(),
            "--connections, --busy, --seconds and --turns must be positive numbers.");
      }
    }
    RowsFile rows = json.file(spec);
    String jar = System.getProperty("slipstream.jar");
    if (jar == null) {
      throw new ParameterException(
          spec.commandLine(), "Start this command with ./slipstream, which knows the agent.");
    }
    Crowd crowd =
        new Crowd(
            mode,
            rows,
            Path.of(jar),
            jvmArguments,
            busy,
            (long) (warmup * 1000),
            (long) (seconds * 1000),
            turns,
            spec.commandLine().getOut());
    return crowd.run(connections, spec.commandLine().getErr());
  }
}
