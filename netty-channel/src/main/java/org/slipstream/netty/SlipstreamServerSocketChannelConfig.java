package org.slipstream.netty;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DefaultServerSocketChannelConfig;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Options of a listener: the kernel's. */
final class SlipstreamServerSocketChannelConfig extends DefaultServerSocketChannelConfig {

  SlipstreamServerSocketChannelConfig(SlipstreamServerSocketChannel channel, ServerSocket socket) {
    super(channel, socket);
  }

  private ServerSocketChannel tcp() {
    return Objects.requireNonNull(javaSocket.getChannel());
  }

  @Override
  protected void autoReadCleared() {
    ((SlipstreamServerSocketChannel) channel).autoReadCleared();
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (SlipstreamChannelOption.isJdkOption(option)) {
      return SlipstreamChannelOption.set(tcp(), option, value);
    }
    return FastOpen.ignored(option) || super.setOption(option, value);
  }

  @Override
  public <T> @Nullable T getOption(ChannelOption<T> option) {
    return SlipstreamChannelOption.isJdkOption(option)
        ? SlipstreamChannelOption.get(tcp(), option)
        : super.getOption(option);
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(super.getOptions(), SlipstreamChannelOption.all(tcp()));
  }
}
