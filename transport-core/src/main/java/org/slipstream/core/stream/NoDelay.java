package org.slipstream.core.stream;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * TCP_NODELAY of an anchor. A bell is one octet, and often the only traffic of its direction: with
 * Nagle's algorithm it would wait for the delayed acknowledgement of the last one, 40 ms. So a
 * linked anchor always has the option on, whatever the program chose and is told. Any thread.
 */
public final class NoDelay {
  private final SocketChannel anchor;

  /** Guarded by this. */
  private boolean forced;

  private boolean chosen;

  NoDelay(SocketChannel anchor) {
    this.anchor = anchor;
  }

  /** The anchor is about to carry bells. */
  synchronized void force() throws IOException {
    if (!forced) {
      chosen = anchor.getOption(StandardSocketOptions.TCP_NODELAY);
      forced = true;
      anchor.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  /**
   * The program chooses.
   *
   * @param on its choice
   * @throws IOException from the anchor
   */
  public synchronized void choose(boolean on) throws IOException {
    if (!forced || !anchor.isOpen()) {
      anchor.setOption(StandardSocketOptions.TCP_NODELAY, on);
    }
    chosen = on;
  }

  /**
   * What the program chose.
   *
   * @return the option as the program sees it
   * @throws IOException from the anchor
   */
  public synchronized boolean chosen() throws IOException {
    boolean actual = anchor.getOption(StandardSocketOptions.TCP_NODELAY);
    return forced ? chosen : actual;
  }
}
