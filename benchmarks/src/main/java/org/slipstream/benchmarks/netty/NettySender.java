package org.slipstream.benchmarks.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Writes messages as long as the channel is writable, flushes, and waits until it is again. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class NettySender extends SimpleChannelInboundHandler<ByteBuf> {
  /** Messages of a flush; 0 for as many as the channel takes. */
  private final int batch;

  private @Nullable ChannelHandlerContext context;

  // The rest belongs to the event loop.
  private @Nullable CompletableFuture<Void> end;
  private @Nullable ByteBuf message;
  private long left;
  private long confirmed;
  private int confirmedBytes;
  private long expected;
  private int unflushed;

  NettySender(int batch) {
    this.batch = batch;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /** Sends so many messages; completed when the server has confirmed them. */
  CompletableFuture<Void> burst(int size, long messages) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ChannelHandlerContext to = Objects.requireNonNull(context);
    to.executor()
        .execute(() -> {
          NettyTransport.traffic();
          end = done;
          left = messages;
          expected = messages * size;
          if (message == null || message.readableBytes() != size) {
            if (message != null) {
              message.release();
            }
            message = to.alloc().directBuffer(size, size).writerIndex(size);
          }
          to.write(to.alloc().directBuffer(Long.BYTES).writeLong(expected), to.voidPromise());
          sendMore(to);
        });
    return done;
  }

  private void sendMore(ChannelHandlerContext to) {
    NettyTransport.traffic();
    ByteBuf each = Objects.requireNonNull(message);
    while (left > 0 && to.channel().isWritable()) {
      left--;
      to.write(each.retainedDuplicate(), to.voidPromise());
      if (++unflushed == batch || left == 0 || !to.channel().isWritable()) {
        unflushed = 0;
        to.flush();
      }
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext to) {
    // Later, because a flush reports it from inside: this would nest.
    if (left > 0 && to.channel().isWritable()) {
      to.executor().execute(() -> sendMore(to));
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext from, ByteBuf bytes) throws IOException {
    NettyTransport.traffic();
    while (bytes.isReadable()) {
      confirmed = confirmed << 8 | bytes.readUnsignedByte();
      if (++confirmedBytes == Long.BYTES) {
        if (confirmed != expected) {
          throw new IOException("the receiver confirmed another number of bytes");
        }
        confirmedBytes = 0;
        confirmed = 0;
        Objects.requireNonNull(end).complete(null);
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    if (end != null) {
      end.completeExceptionally(cause);
    }
    from.close();
  }
}
