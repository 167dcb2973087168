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

/**
 * The way in for {@code java.nio}: name this class in the property {@code
 * java.nio.channels.spi.SelectorProvider}, or let the agent do it.
 *
 * <p>TCP channels and selectors are ours; datagram channels, pipes, Unix-domain channels and the
 * inherited channel are the JDK's own, and work with our selectors.
 */
public final class SlipstreamSelectorProvider extends SelectorProvider {
  private final Installation installation;

  /** Called by the JDK, once. */
  public SlipstreamSelectorProvider() {
    this(Installation.get());
  }

  /**
   * A provider to be passed explicitly.
   *
   * @param installation whose channels it opens
   */
  public SlipstreamSelectorProvider(Installation installation) {
    this.installation = installation;
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
    return core == null ? jdk().openSelector() : new SlipstreamSelector(this, core);
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
    return core == null ? tcp : new SlipstreamServerSocketChannel(this, core, tcp);
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
    return core == null ? tcp : new SlipstreamSocketChannel(this, core, tcp);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return jdk().inheritedChannel();
  }
}
