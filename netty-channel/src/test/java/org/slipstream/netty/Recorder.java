package org.slipstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Notes all that a channel tells. Read by any thread. */
final class Recorder extends ChannelInboundHandlerAdapter {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  final AtomicInteger reads = new AtomicInteger();
  final List<Object> events = new CopyOnWriteArrayList<>();
  final List<Boolean> writability = new CopyOnWriteArrayList<>();
  volatile @Nullable Throwable failure;
  volatile boolean inactive;

  synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  synchronized int count() {
    return bytes.size();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf buf = (ByteBuf) message;
    byte[] piece = new byte[buf.readableBytes()];
    buf.readBytes(piece).release();
    synchronized (this) {
      bytes.writeBytes(piece);
    }
    reads.incrementAndGet();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    events.add(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    writability.add(context.channel().isWritable());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failure = cause;
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    inactive = true;
  }
}
