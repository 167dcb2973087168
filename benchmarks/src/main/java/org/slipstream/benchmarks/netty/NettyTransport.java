package org.slipstream.benchmarks.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Locale;
import org.slipstream.netty.Slipstream;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;

/** The transports of Netty that are compared. */
enum NettyTransport {
  /** Netty's native transport, asleep between events. */
  EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
  /**
   * The same, never asleep while there is traffic: between its turns it must not disturb others.
   */
  EPOLL_BUSY(EpollSocketChannel.class, EpollServerSocketChannel.class),
  /** Netty over {@code java.nio}: stock, or with our provider behind it. */
  NIO(NioSocketChannel.class, NioServerSocketChannel.class),
  /** Ours. */
  SLIPSTREAM(SlipstreamSocketChannel.class, SlipstreamServerSocketChannel.class);

  private static final long ACTIVE_NANOS = 20_000_000;

  private static volatile long lastTraffic;

  private final Class<? extends Channel> channel;
  private final Class<? extends ServerChannel> serverChannel;

  NettyTransport(Class<? extends Channel> channel, Class<? extends ServerChannel> serverChannel) {
    this.channel = channel;
    this.serverChannel = serverChannel;
  }

  /** Messages have come or will come. */
  static void traffic() {
    lastTraffic = System.nanoTime();
  }

  private static boolean isActive() {
    return System.nanoTime() - lastTraffic < ACTIVE_NANOS;
  }

  static NettyTransport of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  Class<? extends Channel> channel() {
    return channel;
  }

  Class<? extends ServerChannel> serverChannel() {
    return serverChannel;
  }

  /** One event loop. */
  EventLoopGroup newGroup() {
    return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("loop", true), ioHandler());
  }

  private IoHandlerFactory ioHandler() {
    return switch (this) {
      case EPOLL -> EpollIoHandler.newFactory();
      case EPOLL_BUSY ->
          EpollIoHandler.newFactory(
              0,
              () ->
                  (now, hasTasks) ->
                      hasTasks
                          ? now.get()
                          : isActive() ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT);
      case NIO -> NioIoHandler.newFactory();
      case SLIPSTREAM -> {
        Slipstream.ensureAvailability();
        yield SlipstreamIoHandler.newFactory();
      }
    };
  }
}
