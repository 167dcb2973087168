package org.slipstream.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Options beyond {@link ChannelOption}, for the kernel connection behind a channel. Every other
 * option of the JDK can be had from {@link NioChannelOption#of}.
 */
public final class SlipstreamChannelOption {
  /** Seconds of silence before the kernel asks whether the peer is still there. */
  public static final ChannelOption<Integer> TCP_KEEPIDLE =
      NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE);

  /** Seconds between two such questions. */
  public static final ChannelOption<Integer> TCP_KEEPINTVL =
      NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL);

  /** Questions without an answer before the connection is given up. */
  public static final ChannelOption<Integer> TCP_KEEPCNT =
      NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT);

  /** Acknowledge at once; matters only while a stream is plain. */
  public static final ChannelOption<Boolean> TCP_QUICKACK =
      NioChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK);

  /** Several listeners share a port. */
  public static final ChannelOption<Boolean> SO_REUSEPORT =
      NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);

  private SlipstreamChannelOption() {}

  /** Whether it is an option of the JDK, and not one of Netty's own. */
  static boolean isJdkOption(ChannelOption<?> option) {
    return option instanceof NioChannelOption;
  }

  /** False if the channel does not have the option. */
  static <T> boolean set(NetworkChannel channel, ChannelOption<T> option, T value) {
    SocketOption<T> found = find(channel, option);
    if (found == null) {
      return false;
    }
    try {
      channel.setOption(found, value);
      return true;
    } catch (IOException e) {
      throw new ChannelException(e);
    }
  }

  /** Null if the channel does not have the option. */
  static <T> @Nullable T get(NetworkChannel channel, ChannelOption<T> option) {
    SocketOption<T> found = find(channel, option);
    if (found == null) {
      return null;
    }
    try {
      return channel.getOption(found);
    } catch (IOException e) {
      throw new ChannelException(e);
    }
  }

  static ChannelOption<?>[] all(NetworkChannel channel) {
    List<ChannelOption<?>> options = new ArrayList<>();
    for (SocketOption<?> option : channel.supportedOptions()) {
      options.add(NioChannelOption.of(option));
    }
    return options.toArray(ChannelOption<?>[]::new);
  }

  /** Netty's class keeps the JDK's option to itself, but has its name. */
  @SuppressWarnings("unchecked") // the option of that name has that type
  private static <T> @Nullable SocketOption<T> find(
      NetworkChannel channel, ChannelOption<T> option) {
    for (SocketOption<?> candidate : channel.supportedOptions()) {
      if (candidate.name().equals(option.name())) {
        return (SocketOption<T>) candidate;
      }
    }
    return null;
  }
}
