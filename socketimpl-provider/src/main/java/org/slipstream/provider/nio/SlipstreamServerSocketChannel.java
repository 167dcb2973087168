package org.slipstream.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;

/** A listening TCP channel that other processes know of; accepting is the kernel's. */
final class SlipstreamServerSocketChannel extends ServerSocketChannel implements TcpBackedChannel {
  private final SlipstreamCore core;
  private final ServerSocketChannel tcp;
  private final LiveKeys keys = new LiveKeys();
  private volatile @Nullable Announcement announcement;
  private @Nullable ServerSocket adaptor;

  SlipstreamServerSocketChannel(
      SelectorProvider provider, SlipstreamCore core, ServerSocketChannel tcp) {
    super(provider);
    this.core = core;
    this.tcp = tcp;
  }

  @Override
  public ServerSocketChannel tcp() {
    return tcp;
  }

  @Override
  public LiveKeys liveKeys() {
    return keys;
  }

  @Override
  public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
    tcp.bind(local, backlog);
    if (tcp.getLocalAddress() instanceof InetSocketAddress address) {
      announcement = core.announce(tcp, address);
    }
    return this;
  }

  @Override
  public @Nullable SocketChannel accept() throws IOException {
    try {
      return wrap(tcp.accept());
    } catch (ClosedChannelException e) {
      if (!tcp.isOpen()) {
        close(); // an interrupt closed the TCP connection
      }
      throw e;
    }
  }

  /** Wraps what the TCP connection, or its adaptor, accepted. */
  @Nullable SocketChannel wrap(@Nullable SocketChannel accepted) throws IOException {
    if (accepted == null) {
      return null;
    }
    try {
      return new SlipstreamSocketChannel(
          provider(), core, accepted, Objects.requireNonNull(announcement, "not bound"));
    } catch (IOException
        | RuntimeException
        | Error e) { // without memory, too, its client must hear
      accepted.close();
      throw e;
    }
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    tcp.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return tcp.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return tcp.supportedOptions();
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    return tcp.getLocalAddress();
  }

  @Override
  public synchronized ServerSocket socket() {
    if (adaptor == null) {
      adaptor = ServerSocketAdaptor.create(this);
    }
    return adaptor;
  }

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    try {
      tcp.close();
    } finally {
      Announcement announced = announcement;
      if (announced != null) {
        announced.close();
      }
    }
  }

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    if (block) {
      keys.forgetCancelled();
    }
    tcp.configureBlocking(block);
  }

  @Override
  public String toString() {
    return tcp.toString().replaceFirst("^[^\\[]*", ServerSocketChannel.class.getName());
  }
}
