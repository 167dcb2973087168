package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ShmTransport;

/** Two event loops, and two connected channels on the ring. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
final class LoopPair implements AutoCloseable {
  private static final Installation INSTALLATION =
      Installation.create(new Properties(), List.of(new ShmTransport()));

  final EventLoopGroup serverLoop = group("server");
  final EventLoopGroup clientLoop = group("client");
  final SlipstreamSocketChannel client;
  final SlipstreamSocketChannel server;
  private final Channel listener;

  /** Connects; the handlers see everything but the exchanges that bring the pair to the ring. */
  LoopPair() throws InterruptedException {
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    listener =
        new ServerBootstrap()
            .group(serverLoop)
            .channelFactory(() -> new SlipstreamServerSocketChannel(INSTALLATION))
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
        (SlipstreamSocketChannel)
            new Bootstrap()
                .group(clientLoop)
                .channelFactory(() -> new SlipstreamSocketChannel(INSTALLATION))
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
    server = (SlipstreamSocketChannel) accepted.poll(5, TimeUnit.SECONDS);
    assertThat(server).isNotNull();
    upgrade();
  }

  private static EventLoopGroup group(String name) {
    return new MultiThreadIoEventLoopGroup(
        1,
        new DefaultThreadFactory("loop-" + name, true),
        SlipstreamIoHandler.newFactory(INSTALLATION));
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
    server.pipeline().addLast(echo);
    client.pipeline().addLast(counter);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!client.status().isAccelerated() || !server.status().isAccelerated()) {
      assertThat(System.nanoTime() - end).as("%s, %s", client.status(), server.status()).isNegative();
      client.writeAndFlush(client.alloc().directBuffer(1).writeByte(1));
      assertThat(back.poll(5, TimeUnit.SECONDS)).isEqualTo(1);
    }
    server.pipeline().remove(echo);
    client.pipeline().remove(counter);
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
