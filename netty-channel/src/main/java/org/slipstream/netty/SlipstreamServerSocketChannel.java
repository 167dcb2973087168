package org.slipstream.netty;

import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.AbstractNioMessageChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;

/**
 * A listening channel that other processes know of; accepting is the kernel's. Its children are
 * {@link SlipstreamSocketChannel}s, so the child group has to be one of {@link
 * SlipstreamIoHandler}.
 */
public final class SlipstreamServerSocketChannel extends AbstractNioMessageChannel
    implements ServerSocketChannel {
  private static final InternalLogger LOG =
      InternalLoggerFactory.getInstance(SlipstreamServerSocketChannel.class);
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  private final SlipstreamCore core;
  private final java.nio.channels.ServerSocketChannel tcp;
  private final ServerSocket socket;
  private final SlipstreamServerSocketChannelConfig config;
  private @Nullable Announcement announcement;

  /** Makes a channel that will listen. */
  public SlipstreamServerSocketChannel() {
    this(Slipstream.installation());
  }

  /**
   * Makes a channel that will listen.
   *
   * @param installation whose core joins the accepted channels to their peers
   */
  public SlipstreamServerSocketChannel(Installation installation) {
    this(Slipstream.core(installation), open(installation));
  }

  private SlipstreamServerSocketChannel(
      SlipstreamCore core, java.nio.channels.ServerSocketChannel tcp) {
    super(null, tcp, SelectionKey.OP_ACCEPT);
    this.core = core;
    this.tcp = tcp;
    this.socket = tcp.socket();
    this.config = new SlipstreamServerSocketChannelConfig(this, socket);
  }

  private static java.nio.channels.ServerSocketChannel open(Installation installation) {
    try {
      return installation.jdk().openServerSocketChannel();
    } catch (IOException e) {
      throw StreamChannel.failed("Failed to open a socket", e);
    }
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public ServerSocketChannelConfig config() {
    return config;
  }

  /** Fails early where the accepted channels would fail later. */
  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof io.netty.channel.IoEventLoop l && l.isCompatible(StreamHandle.class);
  }

  /** Any thread. */
  void autoReadCleared() {
    clearReadPending();
  }

  @Override
  public boolean isActive() {
    return isOpen() && socket.isBound();
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  @Override
  public @Nullable InetSocketAddress remoteAddress() {
    return null;
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return socket.getLocalSocketAddress();
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  protected void doBind(SocketAddress localAddress) throws Exception {
    tcp.bind(localAddress, config.getBacklog());
    if (tcp.getLocalAddress() instanceof InetSocketAddress address) {
      announcement = core.announce(tcp, address);
    }
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    SocketChannel child = tcp.accept();
    if (child == null) {
      return 0;
    }
    try {
      accepted.add(
          SlipstreamSocketChannel.accepted(
              this, core, child, Objects.requireNonNull(announcement, "not bound")));
      return 1;
    } catch (IOException | RuntimeException | OutOfMemoryError e) { // its client must hear of any
      child.close();
      LOG.warn("Failed to create a channel from an accepted socket", e);
      return 0;
    }
  }

  @Override
  protected void doClose() throws Exception {
    try {
      tcp.close();
    } finally {
      Announcement announced = announcement;
      if (announced != null) {
        announcement = null;
        announced.close();
      }
    }
  }

  // -- what a listener does not do -------------------------------------------------------------

  @Override
  protected boolean doConnect(SocketAddress remote, @Nullable SocketAddress local) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void doFinishConnect() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void doDisconnect() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected boolean doWriteMessage(Object msg, ChannelOutboundBuffer in) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected Object filterOutboundMessage(Object msg) {
    throw new UnsupportedOperationException();
  }
}
