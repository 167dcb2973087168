package org.slipstream.benchmarks;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.Exercise;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures one-way throughput. */
@Command(
    name = "stream",
    description = "Measures one-way throughput between two processes, in received bytes.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class StreamCommand implements Callable<Integer> {
  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "blocking",
      description =
          "How the programs wait: blocking, selector, busy or socket (default: blocking).")
  private String mode;

  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      defaultValue = "64,1k,16k,64k,1m",
      description = "Bytes of a write (default: ${DEFAULT-VALUE}).")
  private String sizes;

  @Option(
      names = "--carriers",
      paramLabel = "LIST",
      description =
          "The rows of each size, of tcp, shm, plain and raw (default: all that make sense).")
  private @Nullable String carriers;

  @Mixin private CommonOptions common;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Pairs of processes at work at once, not pinned (default: 1).")
  private int pairs;

  @Option(
      names = "--netty",
      description =
          "Compare Netty's transports: netty-epoll, netty-epoll-busy, netty-nio, netty-nio-shm,"
              + " netty-shm, and raw beside them. Ratios are to netty-epoll.")
  private boolean netty;

  @Option(
      names = "--flush",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "With --netty: flush after N messages; 0 writes until the channel is not writable, and"
              + " flushes then (default: 1).")
  private int flush;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    return common.run(
        spec,
        new CommonOptions.Request(
            Exercise.STREAM, mode, carriers, sizes, pairs, 0, 0, 1, flush, netty));
  }
}
