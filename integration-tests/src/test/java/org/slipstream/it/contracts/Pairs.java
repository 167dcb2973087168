package org.slipstream.it.contracts;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Connections of each kind, before and after they have talked for a while. */
final class Pairs {
  static final InetAddress HERE = InetAddress.getLoopbackAddress();

  /** Both ends of all connections: one that is collected is closed. */
  private static final List<Object> KEPT = new ArrayList<>();

  private Pairs() {}

  static Socket[] sockets(boolean talked) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, HERE)) {
      Socket client = new Socket(HERE, listener.getLocalPort());
      Socket server = listener.accept();
      while (server.getPort() != client.getLocalPort()) {
        server.close(); // of another process, which took our port for one where none listens
        server = listener.accept();
      }
      KEPT.addAll(List.of(client, server));
      for (int i = 0; talked && i < 20; i++) {
        client.getOutputStream().write(1);
        server.getInputStream().read();
        server.getOutputStream().write(1);
        client.getInputStream().read();
        Thread.sleep(2);
      }
      return new Socket[] {client, server};
    }
  }

  static SocketChannel[] channels(boolean talked) throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(HERE, 0));
      SocketChannel client = SocketChannel.open(listener.getLocalAddress());
      SocketChannel server = listener.accept();
      while (!server.getRemoteAddress().equals(client.getLocalAddress())) {
        server.close();
        server = listener.accept();
      }
      KEPT.addAll(List.of(client, server));
      ByteBuffer one = ByteBuffer.allocate(1);
      for (int i = 0; talked && i < 20; i++) {
        client.write(one.clear());
        server.read(one.clear());
        server.write(one.clear());
        client.read(one.clear());
        Thread.sleep(2);
      }
      return new SocketChannel[] {client, server};
    }
  }

  static AsynchronousSocketChannel[] asynchronous(boolean talked) throws Exception {
    try (AsynchronousServerSocketChannel listener =
        AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(HERE, 0))) {
      AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
      client.connect(listener.getLocalAddress()).get();
      AsynchronousSocketChannel server = listener.accept().get();
      while (!server.getRemoteAddress().equals(client.getLocalAddress())) {
        server.close();
        server = listener.accept().get();
      }
      KEPT.addAll(List.of(client, server));
      ByteBuffer one = ByteBuffer.allocate(1);
      for (int i = 0; talked && i < 20; i++) {
        client.write(one.clear()).get();
        server.read(one.clear()).get();
        server.write(one.clear()).get();
        client.read(one.clear()).get();
        Thread.sleep(2);
      }
      return new AsynchronousSocketChannel[] {client, server};
    }
  }

  /** An address at which there is no listener. */
  static SocketAddress dead() throws Exception {
    try (ServerSocket gone = new ServerSocket(0, 1, HERE)) {
      return gone.getLocalSocketAddress();
    }
  }

  /** A null where the types forbid one. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T nothing() {
    return null;
  }

  /** Text without what differs between classes. */
  static String text(Object o) {
    return o.toString().replaceFirst("^[^\\[]*", "");
  }
}
