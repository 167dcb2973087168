package org.slipstream.benchmarks.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.slipstream.benchmarks.programs.Commands;

/** Listens and waits for all connections of a run. */
final class NettyServer {
  private NettyServer() {}

  static void start(NettyArguments arguments, ChannelHandler handler) throws InterruptedException {
    CountDownLatch missing = new CountDownLatch(arguments.connections());
    EventLoopGroup group = arguments.transport().newGroup();
    Channel listener =
        new ServerBootstrap()
            .group(group)
            .channel(arguments.transport().serverChannel())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handler);
                    missing.countDown();
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), arguments.port()))
            .sync()
            .channel();
    Commands.answer("ready " + ((InetSocketAddress) listener.localAddress()).getPort());
    missing.await();
  }
}
