package org.slipstream.provider.older;

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

/**
 * What a provider hands out: a {@link SelectorProvider} as Java 25 has it, in a type that Java 8
 * knows. Each method as that class's of the same name; any thread.
 */
public interface OpenedChannels {
  /** Makes the channels of a provider; has a constructor without parameters. */
  interface Maker {
    /**
     * Makes them, once.
     *
     * @param provider whose channels they are
     * @return Slipstream's
     * @throws IllegalStateException the JDK's own provider can not be reached
     */
    OpenedChannels make(SelectorProvider provider);
  }

  /**
   * Opens a datagram channel.
   *
   * @return a channel
   * @throws IOException as the JDK's
   */
  DatagramChannel openDatagramChannel() throws IOException;

  /**
   * Opens a datagram channel of a family.
   *
   * @param family of protocols
   * @return a channel
   * @throws IOException as the JDK's
   */
  DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException;

  /**
   * Opens a pipe.
   *
   * @return both ends
   * @throws IOException as the JDK's
   */
  Pipe openPipe() throws IOException;

  /**
   * Opens a selector.
   *
   * @return of these channels
   * @throws IOException as the JDK's
   */
  AbstractSelector openSelector() throws IOException;

  /**
   * Opens a listener.
   *
   * @return not bound
   * @throws IOException as the JDK's
   */
  ServerSocketChannel openServerSocketChannel() throws IOException;

  /**
   * Opens a listener of a family; Java 15 and newer.
   *
   * @param family of protocols
   * @return not bound
   * @throws IOException as the JDK's
   */
  ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException;

  /**
   * Opens a channel of a stream.
   *
   * @return not connected
   * @throws IOException as the JDK's
   */
  SocketChannel openSocketChannel() throws IOException;

  /**
   * Opens a channel of a stream of a family; Java 15 and newer.
   *
   * @param family of protocols
   * @return not connected
   * @throws IOException as the JDK's
   */
  SocketChannel openSocketChannel(ProtocolFamily family) throws IOException;

  /**
   * The channel that the process was started with.
   *
   * @return null if there is none
   * @throws IOException as the JDK's
   */
  @Nullable Channel inheritedChannel() throws IOException;
}
