package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Echoes small messages on any number of connections, on one thread with one selector. */
public final class CrowdServer {
  private static final int BACKLOG = 4096;
  private static final int LARGEST = 4096;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(LARGEST);

  private CrowdServer() {}

  /** Listens, says {@code ready PORT}, and serves until its input ends. */
  public static void main(String[] args) throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel listener = Connections.listen(0, BACKLOG);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    CrowdServer server = new CrowdServer();
    Thread.ofPlatform().daemon().name("crowd").start(() -> server.serve(selector));
    Commands.answer(Connections.greeting(listener));
    while (System.in.read() >= 0) {
      // The input says nothing; its end is the end.
    }
    System.exit(0);
  }

  private void serve(Selector selector) {
    try {
      for (; ; ) {
        selector.select(this::ready);
      }
    } catch (IOException broken) {
      System.err.println("The selector failed: " + broken);
      System.exit(1);
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel channel;
        while ((channel = ((ServerSocketChannel) key.channel()).accept()) != null) {
          channel.configureBlocking(false);
          channel.register(key.selector(), SelectionKey.OP_READ);
        }
      } else {
        echo((SocketChannel) key.channel());
      }
    } catch (IOException broken) {
      System.err.println("A connection failed: " + broken);
      System.exit(1);
    }
  }

  private void echo(SocketChannel channel) throws IOException {
    if (channel.read(buffer.clear()) < 0) {
      channel.close();
      return;
    }
    Connections.writeFully(channel, buffer.flip());
  }
}
