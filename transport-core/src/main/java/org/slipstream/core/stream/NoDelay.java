package org.slipstream.core.stream;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * TCP_NODELAY of a TCP connection. A doorbell is one control byte, and often the only traffic of
 * its direction: with Nagle's algorithm it would wait for the delayed acknowledgement of the last
 * one, 40 ms. So a linked TCP connection always has the option on, whatever the program chose and
 * is told. Any thread.
 */
public final class NoDelay {
  private final SocketChannel tcp;

  /** Guarded by this. */
  private boolean forced;

  private boolean chosen;

  NoDelay(SocketChannel tcp) {
    this.tcp = tcp;
  }

  /** The TCP connection is about to carry doorbells. */
  synchronized void force() throws IOException {
    if (!forced) {
      chosen = tcp.getOption(StandardSocketOptions.TCP_NODELAY);
      forced = true;
      tcp.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  /**
   * The program chooses.
   *
   * @param on its choice
   * @throws IOException from the TCP connection
   */
  public synchronized void choose(boolean on) throws IOException {
    if (!forced || !tcp.isOpen()) {
      tcp.setOption(StandardSocketOptions.TCP_NODELAY, on);
    }
    chosen = on;
  }

  /**
   * What the program chose.
   *
   * @return the option as the program sees it
   * @throws IOException from the TCP connection
   */
  public synchronized boolean chosen() throws IOException {
    boolean actual = tcp.getOption(StandardSocketOptions.TCP_NODELAY);
    return forced ? chosen : actual;
  }
}
