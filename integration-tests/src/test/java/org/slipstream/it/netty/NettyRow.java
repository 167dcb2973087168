package org.slipstream.it.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;
import org.slipstream.shm.ShmTransport;
import org.slipstream.transport.Transport;

/** One way in and one carrier, as Netty's own tests take their transports. */
@SuppressWarnings("FutureReturnValueIgnored") // listeners are told
final class NettyRow extends SocketTestPermutation {
  private static final int THREADS = 4;

  private final String name;
  private final EventLoopGroup group;
  private final Supplier<ServerChannel> listeners;
  private final Clients clients;
  private final boolean accelerated;
  private final AtomicLong ringBytes = new AtomicLong();
  private final AtomicLong connections = new AtomicLong();

  private NettyRow(
      String name,
      EventLoopGroup group,
      Supplier<ServerChannel> listeners,
      Clients clients,
      boolean accelerated) {
    this.name = name;
    this.group = group;
    this.listeners = listeners;
    this.clients = clients;
    this.accelerated = accelerated;
  }

  /** Opens connecting channels, and has them counted. */
  @FunctionalInterface
  private interface Clients {
    Channel open(NettyRow row);
  }

  private static SocketChannel open(SelectorProvider provider) {
    try {
      return provider.openSocketChannel();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Netty NIO on a provider. */
  private static NettyRow nio(String name, SelectorProvider provider, boolean accelerated) {
    return new NettyRow(
        name,
        new MultiThreadIoEventLoopGroup(
            THREADS, new DefaultThreadFactory(name, true), NioIoHandler.newFactory(provider)),
        () -> new NioServerSocketChannel(provider),
        row -> {
          SocketChannel channel = open(provider);
          NioSocketChannel netty = new NioSocketChannel(channel);
          row.count(netty, () -> Installation.status(channel));
          return netty;
        },
        accelerated);
  }

  /** Our own transport. */
  private static NettyRow own(String name, Installation installation, boolean accelerated) {
    return new NettyRow(
        name,
        new MultiThreadIoEventLoopGroup(
            THREADS,
            new DefaultThreadFactory(name, true),
            SlipstreamIoHandler.newFactory(installation)),
        () -> new SlipstreamServerSocketChannel(installation),
        row -> {
          SlipstreamSocketChannel channel = new SlipstreamSocketChannel(installation);
          row.count(channel, channel::status);
          return channel;
        },
        accelerated);
  }

  /** Netty NIO on the stock JDK: what all others are compared with. */
  static NettyRow stock() {
    return nio("nio on stock JDK", Installation.get().jdk(), false);
  }

  static NettyRow nioPlain() {
    return nio("nio on our provider, plain", provider(install()), false);
  }

  static NettyRow nioShm() {
    return nio("nio on our provider, shm", provider(install(new ShmTransport())), true);
  }

  static NettyRow ownPlain() {
    return own("own channel, plain", install(), false);
  }

  static NettyRow ownShm() {
    return own("own channel, shm", install(new ShmTransport()), true);
  }

  private static SelectorProvider provider(Installation installation) {
    return SelectorProviders.of(installation);
  }

  private static Installation install(Transport... transports) {
    Properties settings = new Properties();
    settings.setProperty("slipstream.test.hold", "0"); // or many short streams make offers late
    return Installation.create(settings, List.of(transports));
  }

  String name() {
    return name;
  }

  boolean isAccelerated() {
    return accelerated;
  }

  /** Bytes that left TCP, counted at the connecting ends. */
  long ringBytes() {
    return ringBytes.get();
  }

  /** Connecting channels that were closed. */
  long connections() {
    return connections.get();
  }

  @Override
  public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
    ChannelFactory<ServerChannel> factory = listeners::get;
    return List.of(() -> new ServerBootstrap().group(group).channelFactory(factory));
  }

  @Override
  public List<BootstrapFactory<Bootstrap>> clientSocket() {
    ChannelFactory<Channel> factory = () -> clients.open(this);
    return List.of(() -> new Bootstrap().group(group).channelFactory(factory));
  }

  private void count(Channel channel, Supplier<@Nullable StreamStatus> source) {
    channel
        .closeFuture()
        .addListener(closed -> {
          connections.incrementAndGet();
          StreamStatus status = source.get();
          if (status != null) {
            ringBytes.addAndGet(status.ringBytesIn() + status.ringBytesOut());
          }
        });
  }

  void stop() {
    group.shutdownGracefully();
  }

  @Override
  public String toString() {
    return name;
  }
}
