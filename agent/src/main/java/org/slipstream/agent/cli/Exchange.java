package org.slipstream.agent.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;
import org.slipstream.transport.Transport;

/**
 * A live exchange between two threads of this process, each with an installation of its own, over
 * one transport or over none. Says how long a round trip of 64 bytes took.
 */
final class Exchange {
  private static final int BYTES = 64;
  private static final int WARM_UP = 20_000;
  private static final int ROUNDS = 2_000;
  private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long GRACE_SECONDS = 20;

  private final Properties settings;
  private final List<Transport> transports;

  /**
   * Prepares one.
   *
   * @param settings of the installations
   * @param transport which one, or null for plain TCP
   */
  Exchange(Properties settings, @Nullable Transport transport) {
    this.settings = settings;
    this.transports = transport == null ? List.of() : List.of(transport);
  }

  /**
   * Exchanges messages until both directions are on the link, and then measures.
   *
   * @return the median round trip in nanoseconds
   * @throws IOException if bytes were lost, the link did not come, or time ran out
   */
  long medianNanos() throws IOException {
    FutureTask<Long> task = new FutureTask<>(this::run);
    Thread.ofPlatform().daemon().name("slipstream-doctor").start(task);
    try {
      return task.get(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      throw new IOException("no end after " + GRACE_SECONDS + " seconds", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IOException(cause == null ? "failed" : String.valueOf(cause.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private long run() throws IOException, InterruptedException {
    Installation here = Installation.create(settings, transports);
    Installation there = Installation.create(settings, transports);
    try (ServerSocketChannel listener = SelectorProviders.of(there).openServerSocketChannel()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread echo = Thread.ofPlatform().daemon().start(() -> echo(listener));
      try (SocketChannel client = SelectorProviders.of(here).openSocketChannel()) {
        client.connect(listener.getLocalAddress());
        long median = measure(client);
        client.shutdownOutput();
        echo.join(TimeUnit.SECONDS.toMillis(1));
        return median;
      }
    } finally {
      stop(here);
      stop(there);
    }
  }

  private static void stop(Installation installation) {
    SlipstreamCore core = installation.unwrap(SlipstreamCore.class);
    if (core != null) {
      core.stop();
    }
  }

  private static void echo(ServerSocketChannel listener) {
    try (SocketChannel channel = listener.accept()) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
      while (channel.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
      }
    } catch (IOException e) {
      // The other end says what went wrong.
    }
  }

  private long measure(SocketChannel client) throws IOException, InterruptedException {
    ByteBuffer out = ByteBuffer.allocateDirect(BYTES);
    ByteBuffer in = ByteBuffer.allocateDirect(BYTES);
    long end = System.nanoTime() + SETTLE_NS;
    while (!transports.isEmpty() && !isCarried(client)) {
      round(client, out, in);
      if (System.nanoTime() - end > 0) {
        StreamStatus s = Objects.requireNonNull(Installation.status(client));
        throw new IOException("stays on TCP, " + s.reason() + ": " + s.reason().advice());
      }
      Thread.sleep(1);
    }
    for (int i = 0; i < (transports.isEmpty() ? ROUNDS : WARM_UP); i++) {
      round(client, out, in);
    }
    long before = ringBytesIn(client);
    long[] nanos = new long[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      long start = System.nanoTime();
      round(client, out, in);
      nanos[i] = System.nanoTime() - start;
    }
    if (!transports.isEmpty() && ringBytesIn(client) - before < (long) ROUNDS * BYTES / 2) {
      throw new IOException("most messages went by TCP, although the link was there");
    }
    Arrays.sort(nanos);
    return nanos[ROUNDS / 2];
  }

  private static long ringBytesIn(SocketChannel client) {
    StreamStatus s = Installation.status(client);
    return s == null ? 0 : s.ringBytesIn();
  }

  private static boolean isCarried(SocketChannel client) {
    StreamStatus s = Installation.status(client);
    return s != null && s.isAccelerated() && s.ringBytesIn() > 0;
  }

  private static void round(SocketChannel client, ByteBuffer out, ByteBuffer in)
      throws IOException {
    out.clear();
    out.putLong(0, System.nanoTime());
    while (out.hasRemaining()) {
      client.write(out);
    }
    in.clear();
    while (in.hasRemaining()) {
      if (client.read(in) < 0) {
        throw new IOException("the other end went away");
      }
    }
    if (!out.flip().equals(in.flip())) {
      throw new IOException("other bytes came back than were sent");
    }
  }
}
