package org.slipstream.benchmarks.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.bootstrap.Bootstrap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.HdrHistogram.Histogram;
import org.slipstream.benchmarks.programs.Commands;
import org.slipstream.benchmarks.programs.Report;
import org.slipstream.benchmarks.programs.Slice;

/** The sending side: bursts of messages, each confirmed as a whole. */
public final class NettyStreamClient {
  private static final long BURST_NANOS = MILLISECONDS.toNanos(50);
  private static final long FIRST_BURST = 64;
  private static final long GROWTH = 8;

  private NettyStreamClient() {}

  /** Connects and measures as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyArguments arguments = NettyArguments.parse(args);
    NettySender sender = new NettySender(arguments.flush());
    new Bootstrap()
        .group(arguments.transport().newGroup())
        .channel(arguments.transport().channel())
        .handler(sender)
        .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), arguments.port()))
        .sync();
    Commands.serve("connected", slice -> measure(sender, slice).toLine());
  }

  private static Report measure(NettySender sender, Slice slice) {
    Histogram histogram = Report.newHistogram();
    long warm = System.nanoTime() + MILLISECONDS.toNanos(slice.warmupMillis());
    long last = warm + MILLISECONDS.toNanos(slice.millis());
    long messages = FIRST_BURST;
    long count = 0;
    long nanos = 0;
    long all = 0;
    do {
      boolean recorded = System.nanoTime() - warm >= 0;
      long start = System.nanoTime();
      sender.burst(slice.size(), messages).join();
      long took = System.nanoTime() - start;
      all += messages;
      if (recorded) {
        count += messages;
        nanos += took;
        Report.record(histogram, Math.round((double) took / messages), messages);
      }
      double fitting = (double) messages * BURST_NANOS / took;
      messages = Math.clamp(Math.round(fitting), 1L, messages * GROWTH);
    } while (System.nanoTime() - last < 0 || count == 0);
    return new Report(count, nanos, all, histogram);
  }
}
