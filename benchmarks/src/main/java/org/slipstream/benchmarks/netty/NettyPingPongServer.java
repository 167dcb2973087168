package org.slipstream.benchmarks.netty;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.slipstream.benchmarks.programs.Commands;

/** The echoing side of the ping-pong: whatever comes goes back, in the buffer in which it came. */
public final class NettyPingPongServer {
  private NettyPingPongServer() {}

  /** Listens, accepts, and echoes until it is told to quit. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyServer.start(NettyArguments.parse(args), new Echo());
    Commands.serve("connected", slice -> "done");
  }

  @Sharable
  @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
  private static final class Echo extends ChannelInboundHandlerAdapter {
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
}
