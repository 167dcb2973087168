package org.slipstream.benchmarks.programs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** Connects, exchanges one message and closes, again and again, and measures the whole of it. */
public final class ConnectClient {
  /** The kernel keeps each closed connection's port for a while; a slice must not use them up. */
  private static final long MOST_CONNECTIONS = 4000;

  private ConnectClient() {}

  /** Measures connections as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    ByteBuffer buffer = ByteBuffer.allocateDirect(arguments.bytes());
    Commands.serve("connected", slice -> measure(arguments.port(), buffer, slice).toLine());
  }

  private static Report measure(int port, ByteBuffer buffer, Slice slice) throws IOException {
    ByteBuffer message = buffer.slice(0, slice.size());
    Histogram warmup = Report.newHistogram();
    converse(port, message, slice.warmupMillis(), warmup);
    Histogram histogram = Report.newHistogram();
    long nanos = converse(port, message, slice.millis(), histogram);
    exchange(port, message, PingPongServer.LAST);
    long count = histogram.getTotalCount();
    return new Report(count, nanos, count + warmup.getTotalCount(), histogram);
  }

  private static long converse(int port, ByteBuffer message, long millis, Histogram histogram)
      throws IOException {
    long first = System.nanoTime();
    long last = first + MILLISECONDS.toNanos(millis);
    long now = first;
    while (now - last < 0 && histogram.getTotalCount() < MOST_CONNECTIONS) {
      long start = System.nanoTime();
      exchange(port, message, PingPongServer.MORE);
      now = System.nanoTime();
      Report.record(histogram, now - start, 1);
    }
    return now - first;
  }

  private static void exchange(int port, ByteBuffer message, byte kind) throws IOException {
    try (SocketChannel channel = Connections.open(port)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Connections.writeFully(channel, message.clear().put(0, kind));
      Connections.readFully(channel, message);
    }
  }
}
