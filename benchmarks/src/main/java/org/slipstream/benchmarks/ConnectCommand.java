package org.slipstream.benchmarks;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.Exercise;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures short connections. */
@Command(
    name = "connect",
    hidden = true,
    description = "Measures connect, accept, one exchange and close: the price of a short life.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class ConnectCommand implements Callable<Integer> {
  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      defaultValue = "64",
      description = "Bytes of the message (default: ${DEFAULT-VALUE}).")
  private String sizes;

  @Option(
      names = "--carriers",
      paramLabel = "LIST",
      description = "The rows, of tcp and shm (default: both).")
  private @Nullable String carriers;

  @Mixin private CommonOptions common;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    return common.run(
        spec,
        new CommonOptions.Request(
            Exercise.CONNECT, "blocking", carriers, sizes, 1, 0, 0, 1, 1, false));
  }
}
