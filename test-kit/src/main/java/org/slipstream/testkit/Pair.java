package org.slipstream.testkit;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * The two ends of one connection.
 *
 * @param client the end that connected
 * @param server the end that was accepted
 */
public record Pair(SocketChannel client, SocketChannel server) {

  /** Puts both ends into blocking or non-blocking mode. */
  public Pair configureBlocking(boolean blocking) throws IOException {
    client.configureBlocking(blocking);
    server.configureBlocking(blocking);
    return this;
  }

  /** Closes an end so that the kernel resets the connection instead of ending it. */
  public static void reset(SocketChannel end) throws IOException {
    end.setOption(StandardSocketOptions.SO_LINGER, 0);
    end.close();
  }
}
