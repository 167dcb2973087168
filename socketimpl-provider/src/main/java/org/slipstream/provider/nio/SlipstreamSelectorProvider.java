package org.slipstream.provider.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.older.JdkChannels;
import org.slipstream.provider.older.OpenedChannels;
import org.slipstream.provider.older.RunningJava;

/**
 * The way in for {@code java.nio}: name this class in the property {@code
 * java.nio.channels.spi.SelectorProvider}, or let the agent do it.
 *
 * <p>TCP channels and selectors are ours; datagram channels, pipes, Unix-domain channels and the
 * inherited channel are the JDK's own, and work with our selectors.
 *
 * <p>Compiled for Java 8: the property may concern every Java of a machine, and one that is older
 * than Slipstream needs gets a line on standard error and the JDK's own channels and selectors.
 */
public final class SlipstreamSelectorProvider extends SelectorProvider {
  private final OpenedChannels channels;

  /**
   * Called by the JDK, once.
   *
   * @throws IllegalStateException the JDK's own provider can not be reached
   */
  public SlipstreamSelectorProvider() {
    channels = RunningJava.isTooOld() ? new JdkChannels() : ofThisProcess();
  }

  /**
   * Of {@code SelectorProviders.of}. No constructor names the installation: an older Java loads
   * what the constructors of this class name.
   */
  SlipstreamSelectorProvider(OpenedChannels channels) {
    this.channels = channels;
  }

  /** By name, because this class is compiled before those that an older Java can not load. */
  private OpenedChannels ofThisProcess() {
    try {
      return Class.forName("org.slipstream.provider.nio.InstalledChannels")
          .asSubclass(OpenedChannels.Maker.class)
          .getDeclaredConstructor()
          .newInstance()
          .make(this);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("slipstream.jar is not whole: " + e, e);
    }
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return channels.openDatagramChannel();
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    return channels.openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return channels.openPipe();
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return channels.openSelector();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    return channels.openServerSocketChannel();
  }

  /**
   * Opens a listener of a family. Java 15 and newer know it as {@code SelectorProvider}'s; Java 8,
   * for which this is compiled, does not.
   *
   * @param family of protocols
   * @return a channel
   * @throws IOException as the JDK's
   */
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    return channels.openServerSocketChannel(family);
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    return channels.openSocketChannel();
  }

  /**
   * Opens a channel of a family; Java 15 and newer, as the other.
   *
   * @param family of protocols
   * @return a channel
   * @throws IOException as the JDK's
   */
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    return channels.openSocketChannel(family);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return channels.inheritedChannel();
  }
}
