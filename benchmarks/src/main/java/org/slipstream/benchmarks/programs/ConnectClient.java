package org.slipstream.benchmarks.programs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Connects, exchanges one message and closes, again and again, and measures the whole of it. */
public final class ConnectClient {
  /**
   * The compilers are still busy after 12,000 connections. The kernel keeps each closed
   * connection's port for a minute, of some 28,000 between two addresses; so those of a warm-up
   * come from other addresses of this host.
   */
  private static final int MOST_OF_WARMUP = 60_000;

  private static final int WARMUP_ADDRESSES = 8;

  /** Ten slices must not use up the ports. */
  private static final int MOST_OF_SLICE = 2_500;

  private ConnectClient() {}

  /** Measures connections as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    ByteBuffer buffer = ByteBuffer.allocateDirect(arguments.bytes());
    Commands.serve("connected", slice -> measure(arguments.port(), buffer, slice).toLine());
  }

  private static Report measure(int port, ByteBuffer buffer, Slice slice) throws IOException {
    ByteBuffer message = buffer.slice(0, slice.size());
    long before = warmUp(port, message, slice.warmupMillis());
    Histogram histogram = Report.newHistogram();
    long first = System.nanoTime();
    long last = first + MILLISECONDS.toNanos(slice.millis());
    long now = first;
    while (now - last < 0 && histogram.getTotalCount() < MOST_OF_SLICE) {
      long start = System.nanoTime();
      exchange(null, port, message, PingPongServer.MORE);
      now = System.nanoTime();
      Report.record(histogram, now - start, 1);
    }
    exchange(null, port, message, PingPongServer.LAST);
    long count = histogram.getTotalCount();
    return new Report(count, now - first, count + before, histogram);
  }

  private static int warmUp(int port, ByteBuffer message, long millis) throws IOException {
    byte[] address = Host.address().getAddress();
    boolean many = Host.address().isLoopbackAddress() && address.length == 4;
    long last = System.nanoTime() + MILLISECONDS.toNanos(millis);
    int count = 0;
    while (System.nanoTime() - last < 0 && count < (many ? MOST_OF_WARMUP : MOST_OF_SLICE)) {
      if (many) {
        address[3] = (byte) (2 + count % WARMUP_ADDRESSES);
      }
      exchange(many ? InetAddress.getByAddress(address) : null, port, message, PingPongServer.MORE);
      count++;
    }
    return count;
  }

  private static void exchange(@Nullable InetAddress from, int port, ByteBuffer message, byte kind)
      throws IOException {
    try (SocketChannel channel = SocketChannel.open()) {
      if (from != null) {
        channel.bind(new InetSocketAddress(from, 0));
      }
      channel.connect(new InetSocketAddress(Host.address(), port));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Connections.writeFully(channel, message.clear().put(0, kind));
      Connections.readFully(channel, message);
    }
  }
}
