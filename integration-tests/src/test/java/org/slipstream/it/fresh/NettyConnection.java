package org.slipstream.it.fresh;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;

/** What Netty's event loop reads, for a thread that blocks. */
@SuppressWarnings(
    "FutureReturnValueIgnored") // channels of a test are closed without being waited for
final class NettyConnection extends ChannelInboundHandlerAdapter implements Connection {
  private static final boolean OURS = Boolean.getBoolean("fresh.accelerated");
  private static final int LOOPS = 4;

  private static final class Loops {
    static final EventLoopGroup GROUP =
        new MultiThreadIoEventLoopGroup(LOOPS, threads(), handler());

    private static DefaultThreadFactory threads() {
      return new DefaultThreadFactory("loop", true);
    }

    private static IoHandlerFactory handler() {
      return OURS ? SlipstreamIoHandler.newFactory() : NioIoHandler.newFactory();
    }
  }

  /** Bytes, or {@link #END}, or the exception that ended the connection. */
  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

  private static final Object END = new Object();
  private volatile @Nullable Channel channel;
  private byte[] rest = new byte[0];
  private int taken;
  private @Nullable Object last;

  private NettyConnection() {}

  static Adapter.Listener listen(InetSocketAddress address, int backlog) throws IOException {
    BlockingQueue<NettyConnection> accepted = new LinkedBlockingQueue<>();
    Channel listener =
        done(new ServerBootstrap()
                .group(Loops.GROUP)
                .channel(OURS ? SlipstreamServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(
                    new ChannelInitializer<Channel>() {
                      @Override
                      protected void initChannel(Channel child) {
                        NettyConnection connection = new NettyConnection();
                        connection.channel = child;
                        child.pipeline().addLast(connection);
                        accepted.add(connection);
                      }
                    })
                .bind(address))
            .channel();
    return new Adapter.Listener(
        ((InetSocketAddress) listener.localAddress()).getPort(),
        () -> {
          try {
            return accepted.take();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
  }

  static Connection connect(InetSocketAddress address) throws IOException {
    NettyConnection connection = new NettyConnection();
    connection.channel =
        done(new Bootstrap()
                .group(Loops.GROUP)
                .channel(OURS ? SlipstreamSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(connection)
                .connect(address))
            .channel();
    return connection;
  }

  private static ChannelFuture done(ChannelFuture future) throws IOException {
    future.awaitUninterruptibly();
    if (!future.isSuccess()) {
      throw new IOException(future.cause());
    }
    return future;
  }

  private Channel channel() throws IOException {
    Channel c = channel;
    if (c == null) {
      throw new IOException("not connected");
    }
    return c;
  }

  // -- the loop --------------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy).release();
    events.add(copy);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      events.add(END);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    events.add(END);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    events.add(cause);
  }

  // -- the thread ------------------------------------------------------------------------------

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    while (taken == rest.length && last == null) {
      try {
        Object event = events.take();
        if (event instanceof byte[] bytes) {
          rest = bytes;
          taken = 0;
        } else {
          last = event;
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    if (last instanceof Throwable cause) {
      throw new IOException(cause);
    }
    if (last != null) {
      return -1;
    }
    int n = Math.min(length, rest.length - taken);
    System.arraycopy(rest, taken, into, offset, n);
    taken += n;
    return n;
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    done(channel().writeAndFlush(Unpooled.copiedBuffer(from, offset, length)));
  }

  @Override
  public void shutdownOutput() throws IOException {
    done(((DuplexChannel) channel()).shutdownOutput());
  }

  @Override
  public void close() throws IOException {
    channel().close();
  }
}
