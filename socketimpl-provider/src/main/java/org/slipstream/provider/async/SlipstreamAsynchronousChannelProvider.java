package org.slipstream.provider.async;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;

/**
 * The way in for asynchronous channels: name this class in the property {@code
 * java.nio.channels.spi.AsynchronousChannelProvider}, or let the agent do it. If Slipstream is off,
 * everything is the JDK's own.
 */
public final class SlipstreamAsynchronousChannelProvider extends AsynchronousChannelProvider {
  private final @Nullable AsynchronousChannelProvider jdk;
  private final SelectorProvider channels;

  /** Guarded by this; made when the first channel needs it. */
  private @Nullable ChannelGroup standard;

  /** Called by the JDK, once. */
  public SlipstreamAsynchronousChannelProvider() {
    this(Installation.get());
  }

  /**
   * A provider to be passed explicitly.
   *
   * @param installation whose channels it opens
   */
  public SlipstreamAsynchronousChannelProvider(Installation installation) {
    this.jdk = installation.isOn() ? null : Installation.jdkAsynchronous();
    this.channels = SelectorProviders.of(installation);
  }

  /**
   * What carries a channel.
   *
   * @param channel any
   * @return null if it is not a stream of ours
   */
  public static @Nullable StreamStatus status(AsynchronousSocketChannel channel) {
    return channel instanceof SlipstreamAsynchronousSocketChannel c
        ? Installation.status(c.channel())
        : null;
  }

  private synchronized ChannelGroup standard() throws IOException {
    if (standard == null) {
      standard = ChannelGroup.start(this, channels, Pool.standard());
    }
    return standard;
  }

  private ChannelGroup own(@Nullable AsynchronousChannelGroup group) throws IOException {
    if (group == null) {
      return standard();
    }
    if (group instanceof ChannelGroup ours) {
      return ours;
    }
    throw new IllegalChannelGroupException();
  }

  @Override
  public AsynchronousChannelGroup openAsynchronousChannelGroup(
      int nThreads, ThreadFactory threadFactory) throws IOException {
    return jdk != null
        ? jdk.openAsynchronousChannelGroup(nThreads, threadFactory)
        : ChannelGroup.start(this, channels, Pool.fixed(nThreads, threadFactory));
  }

  @Override
  public AsynchronousChannelGroup openAsynchronousChannelGroup(
      ExecutorService executor, int initialSize) throws IOException {
    return jdk != null
        ? jdk.openAsynchronousChannelGroup(executor, initialSize)
        : ChannelGroup.start(this, channels, Pool.wrap(executor, initialSize));
  }

  @Override
  public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
      @Nullable AsynchronousChannelGroup group) throws IOException {
    if (jdk != null) {
      return jdk.openAsynchronousServerSocketChannel(group);
    }
    ChannelGroup own = own(group);
    ServerSocketChannel channel = channels.openServerSocketChannel();
    try {
      return new SlipstreamAsynchronousServerSocketChannel(own, channel);
    } catch (IOException | ShutdownChannelGroupException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public AsynchronousSocketChannel openAsynchronousSocketChannel(
      @Nullable AsynchronousChannelGroup group) throws IOException {
    if (jdk != null) {
      return jdk.openAsynchronousSocketChannel(group);
    }
    ChannelGroup own = own(group);
    SocketChannel channel = channels.openSocketChannel();
    try {
      return new SlipstreamAsynchronousSocketChannel(own, channel);
    } catch (IOException | ShutdownChannelGroupException e) {
      channel.close();
      throw e;
    }
  }
}
