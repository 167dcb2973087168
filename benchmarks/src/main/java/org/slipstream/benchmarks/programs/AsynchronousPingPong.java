package org.slipstream.benchmarks.programs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The ping-pong with asynchronous channels: everything happens in completion handlers, on the one
 * thread of a group.
 */
final class AsynchronousPingPong {
  /** Messages of this size and more carry a number that must come back. */
  private static final int STAMPED_SIZE = 16;

  private static final int STAMP = 8;

  private AsynchronousPingPong() {}

  static void serve(Arguments arguments) throws IOException, InterruptedException {
    AsynchronousChannelGroup group = group();
    try (AsynchronousServerSocketChannel listener = AsynchronousServerSocketChannel.open(group)) {
      listener.bind(new InetSocketAddress(Host.address(), arguments.port()));
      Commands.answer("ready " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
      try (AsynchronousSocketChannel channel = await(listener.accept())) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Commands.serve(
            "connected",
            slice -> {
              Echo echo = new Echo(channel, slice.size());
              echo.receive();
              return await(echo.done);
            });
      }
    }
    group.shutdownNow();
  }

  static void connect(Arguments arguments) throws IOException, InterruptedException {
    AsynchronousChannelGroup group = group();
    try (AsynchronousSocketChannel channel = AsynchronousSocketChannel.open(group)) {
      await(channel.connect(new InetSocketAddress(Host.address(), arguments.port())));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Commands.serve(
          "connected",
          slice -> {
            Asker asker = new Asker(channel, slice);
            asker.ask();
            return await(asker.done).toLine();
          });
    }
    group.shutdownNow();
  }

  private static AsynchronousChannelGroup group() throws IOException {
    return AsynchronousChannelGroup.withFixedThreadPool(1, Executors.defaultThreadFactory());
  }

  private static <T> T await(java.util.concurrent.Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Moves whole messages, one direction at a time. */
  private abstract static class Conversation<R> implements CompletionHandler<Integer, Object> {
    final CompletableFuture<R> done = new CompletableFuture<>();
    final ByteBuffer message;
    private final AsynchronousSocketChannel channel;
    private boolean sending;

    Conversation(AsynchronousSocketChannel channel, int size) {
      this.channel = channel;
      this.message = ByteBuffer.allocateDirect(size);
    }

    abstract void received();

    abstract void sent();

    final void receive() {
      sending = false;
      channel.read(message.clear(), null, this);
    }

    final void send() {
      sending = true;
      channel.write(message.clear(), null, this);
    }

    @Override
    public final void completed(Integer n, @Nullable Object attachment) {
      if (n < 0) {
        done.completeExceptionally(new EOFException("the peer closed the connection"));
      } else if (message.hasRemaining()) {
        if (sending) {
          channel.write(message, null, this);
        } else {
          channel.read(message, null, this);
        }
      } else if (sending) {
        sent();
      } else {
        received();
      }
    }

    @Override
    public final void failed(Throwable failure, @Nullable Object attachment) {
      done.completeExceptionally(failure);
    }
  }

  /** Echoes messages up to and with the last one. */
  private static final class Echo extends Conversation<String> {
    Echo(AsynchronousSocketChannel channel, int size) {
      super(channel, size);
    }

    @Override
    void received() {
      send();
    }

    @Override
    void sent() {
      if (message.get(0) == PingPongServer.LAST) {
        done.complete("done");
      } else {
        receive();
      }
    }
  }

  /** Asks for the time of a slice and records each round trip. */
  private static final class Asker extends Conversation<Report> {
    private final Histogram warmup = Report.newHistogram();
    private final Histogram recorded = Report.newHistogram();
    private final boolean stamped;
    private final long measuredFrom;
    private final long last;
    private long firstRecorded;
    private long start;
    private long number;
    private boolean ending;
    private long lastRecorded;

    Asker(AsynchronousSocketChannel channel, Slice slice) {
      super(channel, slice.size());
      this.stamped = slice.size() >= STAMPED_SIZE;
      long now = System.nanoTime();
      this.measuredFrom = now + TimeUnit.MILLISECONDS.toNanos(slice.warmupMillis());
      this.last = measuredFrom + TimeUnit.MILLISECONDS.toNanos(slice.millis());
    }

    void ask() {
      start = System.nanoTime();
      message.put(0, PingPongServer.MORE);
      if (stamped) {
        message.putLong(STAMP, ++number);
      }
      send();
    }

    @Override
    void sent() {
      receive();
    }

    @Override
    void received() {
      if (ending) {
        long count = recorded.getTotalCount();
        done.complete(
            new Report(
                count, lastRecorded - firstRecorded, count + warmup.getTotalCount(), recorded));
        return;
      }
      long now = System.nanoTime();
      if (stamped && message.getLong(STAMP) != number) {
        done.completeExceptionally(new IOException("message " + number + " came back changed"));
        return;
      }
      if (start - measuredFrom < 0) {
        Report.record(warmup, now - start, 1);
      } else {
        firstRecorded = firstRecorded == 0 ? start : firstRecorded;
        lastRecorded = now;
        Report.record(recorded, now - start, 1);
      }
      if (now - last < 0) {
        ask();
      } else {
        ending = true;
        message.put(0, PingPongServer.LAST);
        send();
      }
    }
  }
}
