package org.slipstream.it.process;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port that leads to another one of this host, unless it is cut. */
final class CutLink implements Closeable {
  private static final int CHUNK = 16 * 1024;

  private final ServerSocketChannel listener = ServerSocketChannel.open();
  private final InetSocketAddress target;
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

  /** Written under the monitor, with which connections are made. */
  private boolean cut;

  CutLink(int port) throws IOException {
    target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::accept);
  }

  int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** Ends all connections, and each new one at once. */
  synchronized void cut() throws IOException {
    cut = true;
    for (SocketChannel each : open) {
      each.close();
    }
  }

  synchronized void mend() {
    cut = false;
  }

  private void accept() {
    try {
      while (true) {
        connect(listener.accept());
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private synchronized void connect(SocketChannel near) throws IOException {
    if (cut) {
      near.close();
      return;
    }
    SocketChannel far;
    try {
      far = SocketChannel.open(target);
    } catch (IOException e) { // nothing listens there at the moment
      near.close();
      return;
    }
    open.add(near);
    open.add(far);
    Thread.ofVirtual().start(() -> pass(near, far));
    Thread.ofVirtual().start(() -> pass(far, near));
  }

  private void pass(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
    try (from;
        to) {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
    } catch (IOException e) {
      return; // one of the two is gone, and so are both
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }
}
