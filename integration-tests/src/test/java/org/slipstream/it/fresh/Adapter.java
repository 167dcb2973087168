package org.slipstream.it.fresh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** An API by which programs connect and accept. */
enum Adapter {
  /** A channel in blocking mode. */
  BLOCKING {
    @Override
    Listener listen() throws IOException {
      ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort(), BACKLOG);
      return new Listener(
          listener.socket().getLocalPort(), () -> new ChannelConnection(listener.accept()));
    }

    @Override
    Connection connect(int port) throws IOException {
      return new ChannelConnection(SocketChannel.open(to(port)));
    }
  },

  /** A channel in non-blocking mode with a selector. */
  SELECTOR {
    @Override
    Listener listen() throws IOException {
      ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort(), BACKLOG);
      return new Listener(
          listener.socket().getLocalPort(), () -> new SelectedConnection(listener.accept()));
    }

    @Override
    Connection connect(int port) throws IOException {
      return new SelectedConnection(SocketChannel.open(to(port)));
    }
  },

  /** {@code java.net}. */
  SOCKET {
    @Override
    Listener listen() throws IOException {
      ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
      return new Listener(listener.getLocalPort(), () -> new SocketConnection(listener.accept()));
    }

    @Override
    Connection connect(int port) throws IOException {
      return new SocketConnection(new Socket(InetAddress.getLoopbackAddress(), port));
    }
  },

  /** An asynchronous channel. */
  ASYNCHRONOUS {
    @Override
    Listener listen() throws IOException {
      AsynchronousServerSocketChannel listener =
          AsynchronousServerSocketChannel.open().bind(anyPort(), BACKLOG);
      return new Listener(
          ((InetSocketAddress) listener.getLocalAddress()).getPort(),
          () -> new AsynchronousConnection(get(listener.accept())));
    }

    @Override
    Connection connect(int port) throws IOException {
      AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
      get(channel.connect(to(port)));
      return new AsynchronousConnection(channel);
    }
  },

  /** Netty: our transport in an accelerated process, else its own. */
  NETTY {
    @Override
    Listener listen() throws IOException {
      return NettyConnection.listen(to(0), BACKLOG);
    }

    @Override
    Connection connect(int port) throws IOException {
      return NettyConnection.connect(to(port));
    }
  };

  private static final int BACKLOG = 4096;

  /** Where an adapter accepts. */
  record Listener(int port, Accepting accepting) {}

  /** The next connection. */
  @FunctionalInterface
  interface Accepting {
    Connection accept() throws IOException;
  }

  abstract Listener listen() throws IOException;

  abstract Connection connect(int port) throws IOException;

  private static InetSocketAddress to(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static InetSocketAddress anyPort() {
    return to(0);
  }

  private static <T> T get(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private record ChannelConnection(SocketChannel channel) implements Connection {
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return channel.read(ByteBuffer.wrap(into, offset, length));
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(from, offset, length);
      while (rest.hasRemaining()) { // on a virtual thread the JDK's channel writes what fits
        channel.write(rest);
      }
    }

    @Override
    public void shutdownOutput() throws IOException {
      channel.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private static final class SelectedConnection implements Connection {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    SelectedConnection(SocketChannel channel) throws IOException {
      this.channel = channel;
      channel.configureBlocking(false);
      this.selector = channel.provider().openSelector();
      this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    private void await(int operation) throws IOException {
      key.interestOps(operation);
      selector.select();
      selector.selectedKeys().clear();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      for (; ; ) {
        await(SelectionKey.OP_READ);
        int n = channel.read(ByteBuffer.wrap(into, offset, length));
        if (n != 0) {
          return n;
        }
      }
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(from, offset, length);
      channel.write(rest);
      while (rest.hasRemaining()) {
        await(SelectionKey.OP_WRITE);
        channel.write(rest);
      }
    }

    @Override
    public void shutdownOutput() throws IOException {
      channel.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
      channel.close();
      selector.close();
    }
  }

  private record SocketConnection(Socket socket) implements Connection {
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return socket.getInputStream().read(into, offset, length);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      socket.getOutputStream().write(from, offset, length);
    }

    @Override
    public void shutdownOutput() throws IOException {
      socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private record AsynchronousConnection(AsynchronousSocketChannel channel) implements Connection {
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return get(channel.read(ByteBuffer.wrap(into, offset, length)));
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(from, offset, length);
      while (rest.hasRemaining()) {
        get(channel.write(rest));
      }
    }

    @Override
    public void shutdownOutput() throws IOException {
      channel.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
