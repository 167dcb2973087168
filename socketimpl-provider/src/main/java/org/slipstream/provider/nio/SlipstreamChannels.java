package org.slipstream.provider.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.older.OpenedChannels;

/** What a {@link SlipstreamSelectorProvider} hands out where Java is new enough. */
final class SlipstreamChannels implements OpenedChannels {
  /** That of the channels. */
  private final SelectorProvider provider;

  private final Installation installation;

  /** Of the provider that the JDK has made. */
  SlipstreamChannels(SelectorProvider provider, Installation installation) {
    this.provider = provider;
    this.installation = installation;
  }

  /** Of a provider of its own. */
  SlipstreamChannels(Installation installation) {
    this.provider = new SlipstreamSelectorProvider(this);
    this.installation = installation;
  }

  SelectorProvider provider() {
    return provider;
  }

  private SelectorProvider jdk() {
    return installation.jdk();
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return jdk().openDatagramChannel();
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    return jdk().openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return jdk().openPipe();
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    SlipstreamCore core = installation.core();
    return core == null ? jdk().openSelector() : new SlipstreamSelector(provider, core);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    return wrap(jdk().openServerSocketChannel());
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    ServerSocketChannel tcp = jdk().openServerSocketChannel(family);
    return family == StandardProtocolFamily.UNIX ? tcp : wrap(tcp);
  }

  private ServerSocketChannel wrap(ServerSocketChannel tcp) {
    SlipstreamCore core = installation.core();
    return core == null ? tcp : new SlipstreamServerSocketChannel(provider, core, tcp);
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    return wrap(jdk().openSocketChannel());
  }

  @Override
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    SocketChannel tcp = jdk().openSocketChannel(family);
    return family == StandardProtocolFamily.UNIX ? tcp : wrap(tcp);
  }

  private SocketChannel wrap(SocketChannel tcp) {
    SlipstreamCore core = installation.core();
    return core == null ? tcp : new SlipstreamSocketChannel(provider, core, tcp);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return jdk().inheritedChannel();
  }
}
