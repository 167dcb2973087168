package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Echoes small messages on any number of connections: on one thread with one selector, or on a
 * thread for each connection, platform or virtual.
 */
public final class CrowdServer {
  private static final int BACKLOG = 4096;
  private static final int LARGEST = 4096;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(LARGEST);

  private CrowdServer() {}

  /**
   * Listens, says {@code ready PORT}, and serves until its input ends; the argument is {@code
   * selector}, {@code threads} or {@code virtual}.
   */
  public static void main(String[] args) throws IOException {
    switch (args[0]) {
      case "selector" -> startSelector();
      case "threads" -> startThreads(Thread.ofPlatform().daemon().name("connection-", 0));
      case "virtual" -> startThreads(Thread.ofVirtual().name("connection-", 0));
      default -> throw new IllegalArgumentException("no such mode: " + args[0]);
    }
    awaitEnd();
  }

  /** The input says nothing; its end is the end. */
  public static void awaitEnd() throws IOException {
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  // -- one selector ----------------------------------------------------------------------------

  private static void startSelector() throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel listener = Connections.listen(0, BACKLOG);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    CrowdServer server = new CrowdServer();
    Thread.ofPlatform().daemon().name("crowd").start(() -> server.serve(selector));
    Commands.answer(Connections.greeting(listener));
  }

  private void serve(Selector selector) {
    try {
      for (; ; ) {
        selector.select(this::ready);
      }
    } catch (IOException broken) {
      fail("The selector failed", broken);
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
      fail("A connection failed", broken);
    }
  }

  private void echo(SocketChannel channel) throws IOException {
    if (channel.read(buffer.clear()) < 0) {
      channel.close();
      return;
    }
    Connections.writeFully(channel, buffer.flip());
  }

  // -- a thread for each connection ------------------------------------------------------------

  private static void startThreads(Thread.Builder threads) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.bind(new InetSocketAddress(Host.address(), 0), BACKLOG);
    Thread.ofPlatform().daemon().name("accept").start(() -> accept(listener, threads));
    Commands.answer("ready " + listener.getLocalPort());
  }

  private static void accept(ServerSocket listener, Thread.Builder threads) {
    try {
      for (; ; ) {
        Socket socket = listener.accept();
        threads.start(() -> echo(socket));
      }
    } catch (IOException | OutOfMemoryError broken) { // the JVM's word for "no more threads"
      fail("No more connections can be accepted", broken);
    }
  }

  private static void echo(Socket socket) {
    byte[] message = new byte[LARGEST];
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      int n;
      while ((n = in.read(message)) >= 0) {
        out.write(message, 0, n);
      }
    } catch (IOException broken) {
      fail("A connection failed", broken);
    }
  }

  private static void fail(String what, Throwable broken) {
    System.err.println(what + ": " + broken);
    System.exit(1);
  }
}
