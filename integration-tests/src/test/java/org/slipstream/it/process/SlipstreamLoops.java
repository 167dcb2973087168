package org.slipstream.it.process;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;
import reactor.netty.resources.LoopResources;

/** Our transport for Reactor Netty, as {@code docs/NETTY.md} shows it. */
record SlipstreamLoops(EventLoopGroup group) implements LoopResources {
  @Override
  public EventLoopGroup onServer(boolean useNative) {
    return group;
  }

  @Override
  public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup loops) {
    if (type == SocketChannel.class) {
      return type.cast(new SlipstreamSocketChannel());
    }
    return type.cast(
        type == ServerSocketChannel.class
            ? new SlipstreamServerSocketChannel()
            : new NioDatagramChannel());
  }

  @Override
  public <C extends Channel> Class<? extends C> onChannelClass(
      Class<C> type, EventLoopGroup loops) {
    if (type == SocketChannel.class) {
      return SlipstreamSocketChannel.class.asSubclass(type);
    }
    return type == ServerSocketChannel.class
        ? SlipstreamServerSocketChannel.class.asSubclass(type)
        : NioDatagramChannel.class.asSubclass(type);
  }
}
