package org.slipstream.benchmarks.programs;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;

/** Waits for the client of a pair, with the API that the mode asks for. */
interface Listener extends Closeable {
  /** What the program says when it listens. */
  String greeting() throws IOException;

  /** Accepts the connections of the pair. */
  Wire accept(Arguments arguments) throws IOException;

  static Listener open(Arguments arguments) throws IOException {
    return arguments.mode() == Mode.SOCKET
        ? Sockets.listen(arguments.port())
        : new Channels(Connections.listen(arguments.port()));
  }

  /** With {@code java.nio.channels}. */
  record Channels(ServerSocketChannel listener) implements Listener {
    @Override
    public String greeting() throws IOException {
      return Connections.greeting(listener);
    }

    @Override
    public Wire accept(Arguments arguments) throws IOException {
      return Connections.accept(listener, arguments);
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  /** With {@code java.net}. */
  record Sockets(ServerSocket listener) implements Listener {
    static Sockets listen(int port) throws IOException {
      ServerSocket listener = new ServerSocket();
      try {
        listener.bind(new InetSocketAddress(Host.address(), port));
        return new Sockets(listener);
      } catch (IOException refused) {
        listener.close();
        throw new IOException(
            "cannot listen on port " + port + ": " + refused.getMessage(), refused);
      }
    }

    @Override
    public String greeting() {
      return "ready " + listener.getLocalPort();
    }

    @Override
    public Wire accept(Arguments arguments) throws IOException {
      return new SocketWire(listener.accept(), arguments.bytes());
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
