package org.slipstream.provider.async;

import java.io.Closeable;

/** An asynchronous channel as its operations see it. Any thread. */
interface OperatedChannel extends Closeable {

  /** Whether it is not closed. */
  boolean isOpen();

  boolean isConnected();

  /** The connection is there. */
  void connected();

  /**
   * Asks for an operation to be called when it can go on.
   *
   * @param op a bit of {@link java.nio.channels.SelectionKey}
   * @param on false to be called no more
   */
  void listen(int op, boolean on);

  /** Nothing can be relied on any more: what waits fails. */
  void kill();
}
