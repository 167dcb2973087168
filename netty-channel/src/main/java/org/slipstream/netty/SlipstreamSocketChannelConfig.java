package org.slipstream.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DefaultSocketChannelConfig;
import io.netty.channel.socket.SocketChannelConfig;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Options of a stream: the kernel connection's, but for those that a link changes. */
final class SlipstreamSocketChannelConfig extends DefaultSocketChannelConfig {

  SlipstreamSocketChannelConfig(SlipstreamSocketChannel channel, Socket socket) {
    super(channel, socket);
  }

  private SlipstreamSocketChannel slipstream() {
    return (SlipstreamSocketChannel) channel;
  }

  private SocketChannel tcp() {
    return Objects.requireNonNull(javaSocket.getChannel());
  }

  @Override
  protected void autoReadCleared() {
    slipstream().autoReadCleared();
  }

  /** A link switches the kernel's option on, whatever the program chose. */
  @Override
  public SocketChannelConfig setTcpNoDelay(boolean on) {
    try {
      slipstream().stream().noDelay().choose(on);
    } catch (IOException e) {
      throw new ChannelException(e);
    }
    return this;
  }

  @Override
  public boolean isTcpNoDelay() {
    try {
      return slipstream().stream().noDelay().chosen();
    } catch (IOException e) {
      throw new ChannelException(e);
    }
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (SlipstreamChannelOption.isJdkOption(option)) {
      if (option.name().equals("TCP_NODELAY")) {
        setTcpNoDelay((Boolean) value);
        return true;
      }
      return SlipstreamChannelOption.set(tcp(), option, value);
    }
    return FastOpen.ignored(option) || super.setOption(option, value);
  }

  @Override
  @SuppressWarnings("unchecked") // that option is a Boolean
  public <T> @Nullable T getOption(ChannelOption<T> option) {
    if (SlipstreamChannelOption.isJdkOption(option)) {
      return option.name().equals("TCP_NODELAY")
          ? (T) Boolean.valueOf(isTcpNoDelay())
          : SlipstreamChannelOption.get(tcp(), option);
    }
    return super.getOption(option);
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(super.getOptions(), SlipstreamChannelOption.all(tcp()));
  }
}
