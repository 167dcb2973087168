package org.slipstream.benchmarks.programs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Opens the connections of a pair, on loopback. */
final class Connections {
  /**
   * The silent connections talk a little first: connections that were used once are the usual kind.
   */
  private static final int IDLE_EXCHANGES = 4;

  private static final int IDLE_BYTES = 64;

  /** The first words of a message buffer serve as headers, however small the messages are. */
  private static final int LEAST_BUFFER = 64;

  private Connections() {}

  static ServerSocketChannel listen(int port) throws IOException {
    return listen(port, 0);
  }

  /** A backlog of 0 is the JDK's choice. */
  static ServerSocketChannel listen(int port, int backlog) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      return listener.bind(new InetSocketAddress(Host.address(), port), backlog);
    } catch (IOException refused) {
      listener.close();
      throw new IOException("cannot listen on port " + port + ": " + refused.getMessage(), refused);
    }
  }

  static String greeting(ServerSocketChannel listener) throws IOException {
    return "ready " + ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  static Wire accept(ServerSocketChannel listener, Arguments arguments) throws IOException {
    List<SocketChannel> idle = new ArrayList<>();
    for (int i = 0; i < arguments.idle(); i++) {
      SocketChannel silent = listener.accept();
      ByteBuffer buffer = ByteBuffer.allocateDirect(IDLE_BYTES);
      for (int exchange = 0; exchange < IDLE_EXCHANGES; exchange++) {
        readFully(silent, buffer);
        writeFully(silent, buffer);
      }
      idle.add(silent);
    }
    return wire(listener.accept(), idle, arguments);
  }

  static Wire connect(Arguments arguments) throws IOException {
    if (arguments.mode() == Mode.SOCKET) {
      return SocketWire.connect(arguments);
    }
    List<SocketChannel> idle = new ArrayList<>();
    for (int i = 0; i < arguments.idle(); i++) {
      SocketChannel silent = open(arguments.port());
      ByteBuffer buffer = ByteBuffer.allocateDirect(IDLE_BYTES);
      for (int exchange = 0; exchange < IDLE_EXCHANGES; exchange++) {
        writeFully(silent, buffer.clear());
        readFully(silent, buffer);
      }
      idle.add(silent);
    }
    return wire(open(arguments.port()), idle, arguments);
  }

  static SocketChannel open(int port) throws IOException {
    return SocketChannel.open(new InetSocketAddress(Host.address(), port));
  }

  private static Wire wire(SocketChannel channel, List<SocketChannel> idle, Arguments arguments)
      throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(arguments.mode() == Mode.BLOCKING);
    for (SocketChannel silent : idle) {
      silent.configureBlocking(false);
    }
    Transfer transfer =
        switch (arguments.mode()) {
          case BLOCKING -> new BlockingTransfer(channel);
          case BUSY -> new BusyTransfer(channel);
          case SELECTOR -> new SelectorTransfer(channel, idle);
          case ASYNC, SOCKET ->
              throw new IllegalArgumentException("mode " + arguments.mode() + " has no channel");
        };
    return new ChannelWire(transfer, Math.max(arguments.bytes(), LEAST_BUFFER));
  }

  /** Fills the buffer and makes it ready to be written. */
  static void readFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
    buffer.clear();
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("the peer closed the connection");
      }
    }
    buffer.flip();
  }

  static void writeFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}
