package org.slipstream.benchmarks.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slipstream.benchmarks.programs.Commands;

/** Listens with one event loop. */
final class NettyServer {
  private static final int BACKLOG = 4096;

  private NettyServer() {}

  /** Listens, and returns when all connections of the run have come. */
  static void start(NettyArguments arguments, ChannelHandler handler) throws InterruptedException {
    CountDownLatch missing = new CountDownLatch(arguments.connections());
    listen(arguments, handler, channel -> missing.countDown());
    missing.await();
  }

  /**
   * Listens and says so; returns the port.
   *
   * @param handler of all connections
   * @param accepted told of each connection by the event loop
   */
  static int listen(
      NettyArguments arguments, ChannelHandler handler, Consumer<? super Channel> accepted)
      throws InterruptedException {
    EventLoopGroup group = arguments.transport().newGroup();
    Channel listener =
        new ServerBootstrap()
            .group(group)
            .channel(arguments.transport().serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handler);
                    accepted.accept(channel);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), arguments.port()))
            .sync()
            .channel();
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    Commands.answer("ready " + port);
    return port;
  }
}
