package org.slipstream.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.MemoryReads;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One-sided memory. */
@Command(
    name = "memory",
    description = "One-sided memory: 'bench' measures it.",
    subcommands = MemoryCommand.Bench.class,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class MemoryCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Say what to do: memory bench.");
  }

  /** Measures reads. */
  @Command(
      name = "bench",
      description =
          "Measures reads of another process's memory of 8 B and 64 KiB: through a queue, by plain"
              + " loads and memcpy over the same mapping, and as a request over a stream, on the"
              + " ring and on TCP, in turns.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  @SuppressWarnings("NullAway.Init") // as above
  static final class Bench implements Callable<Integer> {
    private static final int MOST = 4096;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "11",
        description = "Turns of each row; the median counts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
        names = "--mebibytes",
        paramLabel = "N",
        defaultValue = "256",
        description = "The region, a power of two (default: ${DEFAULT-VALUE}).")
    private int mebibytes;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
      if (rounds < 1 || mebibytes < 1 || mebibytes > MOST || Integer.bitCount(mebibytes) != 1) {
        throw new ParameterException(
            spec.commandLine(),
            "--rounds needs a positive number, --mebibytes a power of two up to " + MOST + ".");
      }
      String jar = System.getProperty("slipstream.jar");
      if (jar == null) {
        throw new ParameterException(
            spec.commandLine(), "Start this command with ./slipstream, which knows the jar.");
      }
      return new MemoryReads(
              Path.of(jar), rounds, (long) mebibytes << 20, spec.commandLine().getOut())
          .run(spec.commandLine().getErr());
    }
  }
}
