package org.slipstream.benchmarks.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.slipstream.benchmarks.programs.Commands;

/** The receiving side: an announced number of bytes, then a confirmation. */
public final class NettyStreamServer {
  private NettyStreamServer() {}

  /** Listens, accepts one client and receives until it is told to quit. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyServer.start(NettyArguments.parse(args), new Receiver());
    Commands.serve("connected", slice -> "done");
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
  private static final class Receiver extends ChannelInboundHandlerAdapter {
    private long announced;
    private int headerBytes;
    private long missing;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      NettyTransport.traffic();
      ByteBuf bytes = (ByteBuf) message;
      while (bytes.isReadable()) {
        if (headerBytes < Long.BYTES) {
          announced = announced << 8 | bytes.readUnsignedByte();
          if (++headerBytes == Long.BYTES) {
            missing = announced;
          }
        } else {
          int n = (int) Math.min(missing, bytes.readableBytes());
          bytes.skipBytes(n);
          missing -= n;
        }
        if (headerBytes == Long.BYTES && missing == 0) {
          context.writeAndFlush(
              context.alloc().directBuffer(Long.BYTES).writeLong(announced), context.voidPromise());
          announced = 0;
          headerBytes = 0;
        }
      }
      bytes.release();
    }
  }
}
