package org.slipstream.it.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes connections on, byte by byte, end by end and reset by reset. Between two ends in one other
 * process it makes a connection that crosses two process boundaries.
 */
final class PeerRelay {
  private static final int CHUNK = 16 * 1024;

  private PeerRelay() {}

  /** Listens at an address for one connection to a target; returns the port. */
  static int open(String address, String target, int port) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(address, 0));
    start(() -> {
      try (listener) {
        pass(listener.accept(), new InetSocketAddress(target, port));
      }
    });
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            task.run();
          } catch (IOException e) {
            return; // one of the two ends is gone, and the other has been told
          }
        });
  }

  private static void pass(SocketChannel near, InetSocketAddress target) throws IOException {
    SocketChannel far = SocketChannel.open(target);
    near.setOption(StandardSocketOptions.TCP_NODELAY, true);
    far.setOption(StandardSocketOptions.TCP_NODELAY, true);
    AtomicInteger ended = new AtomicInteger();
    start(() -> pump(near, far, ended));
    start(() -> pump(far, near, ended));
  }

  private static void pump(SocketChannel from, SocketChannel to, AtomicInteger ended)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    try {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
      to.shutdownOutput();
    } catch (IOException e) {
      reset(from);
      reset(to);
      throw e;
    }
    if (ended.incrementAndGet() == 2) {
      from.close();
      to.close();
    }
  }

  private static void reset(SocketChannel channel) throws IOException {
    if (channel.isOpen()) {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      channel.close();
    }
  }
}
