package org.slipstream.benchmarks.netty;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Sends each message back, in the buffer in which it came. */
@Sharable
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class NettyEcho extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    NettyTransport.traffic();
    context.write(message, context.voidPromise());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }
}
