package org.slipstream.benchmarks.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;

/** As libraries on Netty do: takes epoll if it is there, and connects a few channels to itself. */
public final class NettyNativeProgram {
  /** Connections; each has two ends in this process. */
  static final int CONNECTIONS = 3;

  private NettyNativeProgram() {}

  /**
   * Says what it has taken, and waits until its input ends.
   *
   * @param args none, or {@code asks-only}: asks for epoll and takes NIO
   */
  public static void main(String[] args) throws InterruptedException, IOException {
    boolean epoll = Epoll.isAvailable() && args.length == 0;
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    Class<? extends ServerChannel> server = epoll ? serverOfEpoll() : NioServerSocketChannel.class;
    Class<? extends Channel> client = epoll ? clientOfEpoll() : NioSocketChannel.class;
    Channel listener =
        new ServerBootstrap()
            .group(group)
            .channel(server)
            .childHandler(new Ignoring())
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    for (int i = 0; i < CONNECTIONS; i++) {
      new Bootstrap()
          .group(group)
          .channel(client)
          .handler(new Ignoring())
          .connect(listener.localAddress())
          .sync();
    }
    System.out.println((epoll ? "epoll " : "nio ") + ProcessHandle.current().pid());
    while (System.in.read() >= 0) {}
    var _ = group.shutdownGracefully();
  }

  /** Apart, so that a program which does not take it does not load it. */
  private static Class<? extends ServerChannel> serverOfEpoll() {
    return EpollServerSocketChannel.class;
  }

  private static Class<? extends Channel> clientOfEpoll() {
    return EpollSocketChannel.class;
  }

  /** Leaves what comes. */
  @io.netty.channel.ChannelHandler.Sharable
  private static final class Ignoring extends ChannelInboundHandlerAdapter {}
}
