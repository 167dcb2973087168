package org.slipstream.benchmarks.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.slipstream.benchmarks.programs.Commands;
import org.slipstream.benchmarks.programs.Report;
import org.slipstream.benchmarks.programs.Slice;

/** The asking and measuring side of the ping-pong. */
public final class NettyPingPongClient {
  /** An idle connection has exchanged so many messages before, so that it has left TCP. */
  private static final int IDLE_EXCHANGES = 4;

  private static final int IDLE_BYTES = 64;

  private final List<NettyAsker> busy = new ArrayList<>();

  private NettyPingPongClient() {}

  /** Connects and measures as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyPingPongClient client = new NettyPingPongClient();
    client.connectAll(NettyArguments.parse(args));
    Commands.serve("connected", slice -> client.measure(slice).toLine());
  }

  private void connectAll(NettyArguments arguments) throws InterruptedException {
    EventLoopGroup group = arguments.transport().newGroup();
    InetSocketAddress server =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), arguments.port());
    for (int i = 0; i < arguments.connections(); i++) {
      NettyAsker asker = new NettyAsker();
      new Bootstrap()
          .group(group)
          .channel(arguments.transport().channel())
          .handler(asker)
          .connect(server)
          .sync();
      if (i < arguments.idle()) {
        asker.ask(IDLE_BYTES, IDLE_EXCHANGES, 0, 0, Report.newHistogram()).join();
      } else {
        busy.add(asker);
      }
    }
  }

  private Report measure(Slice slice) {
    Histogram warmup = Report.newHistogram();
    ask(slice, slice.warmupMillis(), warmup);
    Histogram histogram = Report.newHistogram();
    long start = System.nanoTime();
    ask(slice, slice.millis(), histogram);
    long nanos = System.nanoTime() - start;
    long count = histogram.getTotalCount();
    return new Report(count, nanos, count + warmup.getTotalCount(), histogram);
  }

  /** All busy connections at once; they share an event loop, and so the histogram. */
  private void ask(Slice slice, long millis, Histogram histogram) {
    CompletableFuture.allOf(
            busy.stream()
                .map(asker ->
                    asker.ask(
                        slice.size(),
                        Long.MAX_VALUE,
                        System.nanoTime() + millis * 1_000_000,
                        slice.intervalMicros() * 1_000,
                        histogram))
                .toArray(CompletableFuture<?>[]::new))
        .join();
  }
}
