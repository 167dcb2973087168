package org.slipstream.benchmarks.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Report;

/** One connection that sends a message, waits until it is back, and sends the next. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class NettyAsker extends ChannelInboundHandlerAdapter {
  /** Messages of this size and more carry a number that must come back. */
  private static final int STAMPED_SIZE = 16;

  private static final int STAMP = 8;

  private @Nullable ChannelHandlerContext context;

  // The rest belongs to the event loop.
  private @Nullable CompletableFuture<Void> end;
  private Histogram histogram = new Histogram(1);
  private int size;
  private int missing;
  private long left;
  private long until;
  private long interval;
  private long sent;
  private long number;

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /**
   * Exchanges messages.
   *
   * @param bytes of a message
   * @param count at most so many
   * @param deadline {@link System#nanoTime} of the last one; 0 = none
   * @param intervalNanos between two messages; 0 = back to back
   * @param into takes the times
   * @return completed at the end
   */
  CompletableFuture<Void> ask(
      int bytes, long count, long deadline, long intervalNanos, Histogram into) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Objects.requireNonNull(context)
        .executor()
        .execute(() -> {
          NettyTransport.traffic();
          end = done;
          histogram = into;
          size = bytes;
          left = count;
          until = deadline;
          interval = intervalNanos;
          send();
        });
    return done;
  }

  private void send() {
    ChannelHandlerContext to = Objects.requireNonNull(context);
    ByteBuf message = to.alloc().directBuffer(size, size).writerIndex(size);
    number++;
    if (size >= STAMPED_SIZE) {
      message.setLong(STAMP, number);
    }
    missing = size;
    sent = System.nanoTime();
    to.writeAndFlush(message, to.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) throws IOException {
    NettyTransport.traffic();
    ByteBuf bytes = (ByteBuf) message;
    int n = bytes.readableBytes();
    boolean wrong =
        size >= STAMPED_SIZE
            && missing == size
            && n >= STAMPED_SIZE
            && bytes.getLong(bytes.readerIndex() + STAMP) != number;
    bytes.release();
    missing -= n;
    if (wrong || missing < 0) {
      throw new IOException("message " + number + " came back changed");
    }
    if (missing == 0) {
      answered(from);
    }
  }

  private void answered(ChannelHandlerContext from) {
    long now = System.nanoTime();
    Report.record(histogram, now - sent, 1);
    if (--left == 0 || (until != 0 && now - until >= 0)) {
      Objects.requireNonNull(end).complete(null);
    } else if (interval == 0) {
      send();
    } else {
      long pause = Math.max(0, sent + interval - now);
      from.executor().schedule(this::send, pause, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    if (end != null) {
      end.completeExceptionally(cause);
    }
    from.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    if (end != null) {
      end.completeExceptionally(new IOException("the server closed the connection"));
    }
  }
}
