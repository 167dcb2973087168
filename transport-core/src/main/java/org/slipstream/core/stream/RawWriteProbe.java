package org.slipstream.core.stream;

import java.nio.channels.SocketChannel;

/**
 * Looks at a write of the program to the TCP connection, from both sides. By the writer, under the
 * write lock; must not wait, and throws nothing.
 */
public interface RawWriteProbe {

  /**
   * The program is about to write.
   *
   * @param tcp the connection
   * @param bytes how many bytes it has
   * @return whether {@link #after} is wanted
   */
  boolean before(SocketChannel tcp, long bytes);

  /**
   * The write has ended.
   *
   * @param total bytes ever given to the connection
   */
  void after(long total);
}
