package org.slipstream.benchmarks;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.Exercise;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures round trips. */
@Command(
    name = "pingpong",
    description = "Measures round trips of one message between two processes.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class PingPongCommand implements Callable<Integer> {
  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "blocking",
      description =
          "How the programs wait: blocking, selector, busy, async or socket (default: blocking).")
  private String mode;

  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      defaultValue = "1,64,256,1k,4k,16k,64k",
      description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
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
      names = "--interval-us",
      paramLabel = "N",
      defaultValue = "0",
      description = "Sparse traffic: one exchange in N microseconds (default: back to back).")
  private int intervalMicros;

  @Option(
      names = "--idle",
      paramLabel = "N",
      defaultValue = "0",
      description = "Idle connections in the selectors beside the busy one (default: 0).")
  private int idle;

  @Option(
      names = "--netty",
      description =
          "Compare Netty's transports: netty-epoll, netty-epoll-busy, netty-nio, netty-nio-shm,"
              + " netty-shm, and raw beside them. Ratios are to netty-epoll.")
  private boolean netty;

  @Option(
      names = "--busy",
      paramLabel = "N",
      defaultValue = "1",
      description = "Connections of one pair at work at once, with --netty (default: 1).")
  private int busy;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    return common.run(
        spec,
        new CommonOptions.Request(
            Exercise.PING_PONG,
            mode,
            carriers,
            sizes,
            pairs,
            intervalMicros,
            idle,
            busy,
            1,
            netty));
  }
}
