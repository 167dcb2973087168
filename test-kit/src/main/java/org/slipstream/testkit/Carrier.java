package org.slipstream.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.testkit.socket.Sockets;

/**
 * One way of carrying a stream: stock JDK, ours on plain TCP, ours on shm, ours with a faulty link.
 */
public interface Carrier {

  /** The name of the row in reports: {@code stock}, {@code plain}, {@code shm}, {@code faulty}. */
  String name();

  /** The provider through which a test opens its channels and selectors. */
  SelectorProvider provider();

  /**
   * The JDK's own provider, for peers that know nothing of Slipstream. Where Slipstream is the
   * provider of the whole JVM, the carrier has to get hold of the default one.
   */
  SelectorProvider stock();

  /**
   * Brings a connected pair to the state that the carrier stands for; shm exchanges a little
   * traffic until both directions are on the ring, and gives up at a deadline. Called by {@link
   * Network} after connect and accept, with both channels in blocking mode and from one thread.
   * Whatever traffic it makes it also consumes, and it leaves both channels in blocking mode.
   */
  void settle(SocketChannel client, SocketChannel server) throws IOException;

  /**
   * Fails unless the bytes of these channels really travelled on this carrier. The channels are
   * open, but a direction may have been shut down or reset since. Stock and plain have nothing to
   * check, or check the reason why the stream is plain.
   */
  void assertCarried(SocketChannel client, SocketChannel server);

  /** The provider through which a test opens its asynchronous channels. */
  AsynchronousChannelProvider asynchronous();

  /** As {@link #settle(SocketChannel, SocketChannel)}; no operation is outstanding. */
  void settle(AsynchronousSocketChannel client, AsynchronousSocketChannel server);

  /** As {@link #assertCarried(SocketChannel, SocketChannel)}. */
  void assertCarried(AsynchronousSocketChannel client, AsynchronousSocketChannel server);

  /** Where a test gets its {@code java.net} sockets from. */
  Sockets sockets();

  /**
   * Where a client connects to reach a listener of this JVM. Elsewhere than the listener's own
   * address if each connection of the row goes through another process.
   *
   * @param listener the address of a listener
   */
  default InetSocketAddress route(InetSocketAddress listener) throws IOException {
    return listener;
  }

  /**
   * What must not grow with the number of streams that have been closed.
   *
   * @return streams, links, offers under way and unmatched offers; empty without a core
   */
  default int[] census() {
    return new int[0];
  }

  /** Bytes of the memory limit that are taken; 0 without a core. */
  default long memoryBytes() {
    return 0;
  }

  /** Whether a read or write in steady state must not allocate. */
  default boolean allocationFree() {
    return false;
  }
}
