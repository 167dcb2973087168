package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Patience;

/**
 * Two event loops and two connected channels: ours, on the ring or plain, or Netty NIO's on the
 * stock JDK.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class LoopPair implements AutoCloseable {
  private static final Installation INSTALLATION =
      Installation.create(new Properties(), List.of(new ShmTransport()));

  private static final Installation PLAIN = Installation.create(new Properties(), List.of());

  final EventLoopGroup serverLoop;
  final EventLoopGroup clientLoop;
  final SocketChannel client;
  final SocketChannel server;
  private final Channel listener;

  /** Ours, on the ring. */
  static LoopPair onRing() throws InterruptedException {
    LoopPair pair = beforeRing();
    pair.upgrade();
    return pair;
  }

  /** Ours, on the ring as soon as there is an exchange. */
  static LoopPair beforeRing() throws InterruptedException {
    return new LoopPair(
        SlipstreamIoHandler.newFactory(INSTALLATION),
        () -> new SlipstreamServerSocketChannel(INSTALLATION),
        () -> new SlipstreamSocketChannel(INSTALLATION));
  }

  /** Netty NIO on the stock JDK. */
  static LoopPair stock() throws InterruptedException {
    SelectorProvider jdk = INSTALLATION.jdk();
    return new LoopPair(
        NioIoHandler.newFactory(jdk),
        () -> new NioServerSocketChannel(jdk),
        () -> new NioSocketChannel(jdk));
  }

  /** Ours, without a fast path. */
  static LoopPair plain() throws InterruptedException {
    return new LoopPair(
        SlipstreamIoHandler.newFactory(PLAIN),
        () -> new SlipstreamServerSocketChannel(PLAIN),
        () -> new SlipstreamSocketChannel(PLAIN));
  }

  /** A channel that connects, for a loop of such a pair. */
  static Channel newChannel(Row row) {
    return switch (row) {
      case STOCK -> new NioSocketChannel(INSTALLATION.jdk());
      case PLAIN -> new SlipstreamSocketChannel(PLAIN);
      case RING -> new SlipstreamSocketChannel(INSTALLATION);
    };
  }

  private LoopPair(
      IoHandlerFactory loops,
      ChannelFactory<ServerChannel> listeners,
      ChannelFactory<Channel> clients)
      throws InterruptedException {
    serverLoop = group("server", loops);
    clientLoop = group("client", loops);
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    listener =
        new ServerBootstrap()
            .group(serverLoop)
            .channelFactory(listeners)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accepted.add(channel);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    client =
        (SocketChannel)
            new Bootstrap()
                .group(clientLoop)
                .channelFactory(clients)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
    server = (SocketChannel) accepted.poll(60, TimeUnit.SECONDS);
    assertThat(server).isNotNull();
  }

  private static EventLoopGroup group(String name, IoHandlerFactory loops) {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory("loop-" + name, true), loops);
  }

  private void upgrade() throws InterruptedException {
    BlockingQueue<Integer> back = new LinkedBlockingQueue<>();
    ChannelHandler echo = new Echo();
    ChannelHandler counter =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext context, Object message) {
            back.add(((ByteBuf) message).readableBytes());
            ((ByteBuf) message).release();
          }
        };
    add(server, echo);
    add(client, counter);
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    while (!status(client).isAccelerated() || !status(server).isAccelerated()) {
      assertThat(System.nanoTime() - end).as("%s, %s", status(client), status(server)).isNegative();
      client.writeAndFlush(client.alloc().directBuffer(1).writeByte(1));
      assertThat(back.poll(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
    server.pipeline().remove(echo);
    client.pipeline().remove(counter);
  }

  /** Adds a handler and waits until it sees what comes. */
  static void add(Channel channel, ChannelHandler handler) {
    channel.pipeline().addLast(handler);
    channel.eventLoop().submit(() -> {}).syncUninterruptibly();
  }

  static StreamStatus status(Channel channel) {
    return ((SlipstreamSocketChannel) channel).status();
  }

  static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  @Override
  public void close() {
    client.close().syncUninterruptibly();
    server.close().syncUninterruptibly();
    listener.close().syncUninterruptibly();
    serverLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    clientLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
