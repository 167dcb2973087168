package org.slipstream.it.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The habits that servers have. Each runs on daemon threads until its listener is closed. */
final class PeerServers {
  private static final int CHUNK = 48 * 1024;
  private static final AtomicLong COUNTED = new AtomicLong();

  private PeerServers() {}

  /** What is done with one connection. */
  @FunctionalInterface
  interface Habit {
    void serve(SocketChannel channel) throws IOException;
  }

  /** Accepts, and serves each connection on its own thread. */
  static void serve(ServerSocketChannel listener, Habit habit) {
    serve(listener, habit, work -> daemon("connection", work));
  }

  /** The same, each connection on its own virtual thread. */
  static void serveOnVirtualThreads(ServerSocketChannel listener, Habit habit) {
    serve(listener, habit, Thread::startVirtualThread);
  }

  private static void serve(
      ServerSocketChannel listener, Habit habit, Consumer<Runnable> connections) {
    daemon(
        "server",
        () -> {
          try {
            for (; ; ) {
              serveNext(listener, habit, connections);
            }
          } catch (ClosedChannelException e) {
            return;
          } catch (IOException e) {
            System.out.println("@0 accept failed: " + e);
          }
        });
  }

  /** A server with a full heap lets one connection go, and accepts the next. */
  private static void serveNext(
      ServerSocketChannel listener, Habit habit, Consumer<Runnable> connections)
      throws IOException {
    SocketChannel channel = null;
    try {
      channel = listener.accept();
      SocketChannel accepted = channel;
      connections.accept(() -> serve(accepted, habit));
    } catch (OutOfMemoryError e) {
      if (channel != null) {
        channel.close();
      }
    }
  }

  private static void serve(SocketChannel channel, Habit habit) {
    try (channel) {
      habit.serve(channel);
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).matches("Connection reset.*|Broken pipe")) {
        System.out.println("A connection failed: " + e);
      }
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread.ofPlatform().daemon().name(name).start(work);
  }

  /** Reads to the end, counts, and never answers. */
  static void count(SocketChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    int n;
    while ((n = channel.read(buffer.clear())) >= 0) {
      COUNTED.addAndGet(n);
    }
  }

  /** What all that count have read. */
  static long counted() {
    return COUNTED.get();
  }

  static void echo(SocketChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    while (channel.read(buffer.clear()) >= 0) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  /** As {@link #echo}, for all connections on one thread with one selector. */
  static void echoWithSelector(ServerSocketChannel listener) throws IOException {
    Selector selector = Selector.open();
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    daemon(
        "selector",
        () -> {
          try (selector) {
            while (listener.isOpen()) {
              selector.select(PeerServers::ready);
            }
          } catch (IOException e) {
            System.out.println("@0 select failed: " + e);
          }
        });
  }

  /** As {@link #echoWithSelector}, for very many connections that each have little under way. */
  static void echoForMany(ServerSocketChannel listener) throws IOException {
    Selector selector = Selector.open();
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    daemon(
        "selector",
        () -> {
          try (selector) {
            while (listener.isOpen()) {
              selector.select(key -> echoSmall(key, buffer));
            }
          } catch (IOException e) {
            System.out.println("@0 select failed: " + e);
          }
        });
  }

  private static void echoSmall(SelectionKey key, ByteBuffer buffer) {
    try {
      if (key.isAcceptable()) {
        SocketChannel channel = ((ServerSocketChannel) key.channel()).accept();
        if (channel != null) {
          channel.configureBlocking(false);
          channel.register(key.selector(), SelectionKey.OP_READ);
        }
        return;
      }
      SocketChannel channel = (SocketChannel) key.channel();
      if (channel.read(buffer.clear()) < 0) {
        channel.close();
        return;
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      close(key);
    }
  }

  private static void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel channel = ((ServerSocketChannel) key.channel()).accept();
        if (channel != null) {
          channel.configureBlocking(false);
          channel.register(
              key.selector(), SelectionKey.OP_READ, ByteBuffer.allocateDirect(CHUNK).limit(0));
        }
      } else {
        echoStep(key, (SocketChannel) key.channel(), (ByteBuffer) key.attachment());
      }
    } catch (IOException e) {
      close(key);
    }
  }

  private static void echoStep(SelectionKey key, SocketChannel channel, ByteBuffer held)
      throws IOException {
    if (!held.hasRemaining()) {
      int n = channel.read(held.clear());
      held.flip();
      if (n < 0) {
        channel.close();
        return;
      }
    }
    channel.write(held);
    key.interestOps(held.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  private static void close(SelectionKey key) {
    try {
      key.channel().close();
    } catch (IOException e) {
      return; // it was broken anyway
    }
  }
}
