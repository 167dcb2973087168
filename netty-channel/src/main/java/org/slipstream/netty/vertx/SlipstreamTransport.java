package org.slipstream.netty.vertx;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;
import org.slipstream.netty.Slipstream;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;

/**
 * The transport of a Vert.x whose TCP is Slipstream's and whose datagrams are Netty NIO's: {@code
 * Vertx.builder().withTransport(new SlipstreamTransport()).build()}.
 *
 * <p>Where Slipstream is not available, Vert.x takes NIO. There are no Unix-domain sockets.
 */
public final class SlipstreamTransport implements Transport, io.vertx.core.spi.transport.Transport {
  /** Makes the transport; it has no state. */
  public SlipstreamTransport() {}

  @Override
  public String name() {
    return "slipstream";
  }

  @Override
  public boolean available() {
    return Slipstream.isAvailable();
  }

  @Override
  public boolean isAvailable() {
    return Slipstream.isAvailable();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return Slipstream.unavailabilityCause();
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return this;
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return SlipstreamIoHandler.newFactory();
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    requireTcp(domainSocket);
    return SlipstreamSocketChannel::new;
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    requireTcp(domainSocket);
    return SlipstreamServerSocketChannel::new;
  }

  private static void requireTcp(boolean domainSocket) {
    if (domainSocket) {
      throw new IllegalArgumentException("Slipstream has no Unix-domain sockets");
    }
  }

  // -- datagrams are Netty NIO's, in the same event loops ---------------------------------------

  /**
   * A datagram channel, as Vert.x 5.0 asks for it.
   *
   * @return unbound
   */
  public DatagramChannel datagramChannel() {
    return new NioDatagramChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // Vert.x has the old type in its interface
  public DatagramChannel datagramChannel(io.netty.channel.socket.InternetProtocolFamily family) {
    return new NioDatagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return NioDatagramChannel::new;
  }
}
