package org.slipstream.it.contracts;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** An IPv6 address where there may be IPv4 only. */
public final class AddressFamilyProgram {
  private AddressFamilyProgram() {}

  /** Takes no arguments. */
  @SuppressWarnings("resource") // until the end of the process
  public static void main(String[] args) throws Exception {
    int port;
    try (ServerSocket listener = new ServerSocket(0)) {
      port = listener.getLocalPort();
    }
    InetSocketAddress any = new InetSocketAddress("::1", 0);
    InetSocketAddress dead = new InetSocketAddress("::1", port);
    Probe.deed("Socket.bind", () -> new Socket().bind(any));
    Probe.deed("Socket.connect", () -> new Socket().connect(dead, 1000));
    Probe.deed("ServerSocket.bind", () -> new ServerSocket().bind(any));
    Probe.see("SocketChannel.connect", () -> SocketChannel.open().connect(dead));
    Probe.deed("SocketChannel.bind", () -> SocketChannel.open().bind(any));
    Probe.deed("ServerSocketChannel.bind", () -> ServerSocketChannel.open().bind(any));
    Probe.deed("adaptor's bind", () -> SocketChannel.open().socket().bind(any));
    Probe.deed("adaptor's connect", () -> SocketChannel.open().socket().connect(dead, 1000));
    Probe.deed("server adaptor's bind", () -> ServerSocketChannel.open().socket().bind(any));
    Probe.deed("AsynchronousSocketChannel.bind", () -> AsynchronousSocketChannel.open().bind(any));
    Probe.see(
        "AsynchronousSocketChannel.connect",
        () -> AsynchronousSocketChannel.open().connect(dead).get());
    Probe.deed(
        "AsynchronousServerSocketChannel.bind",
        () -> AsynchronousServerSocketChannel.open().bind(any));
    Socket socket = new Socket();
    Probe.deed("a socket whose bind failed", () -> socket.bind(any));
    Probe.see("its state", () -> socket.isBound() + " " + socket.isClosed());
    ServerSocket server = new ServerSocket();
    Probe.deed("a server socket whose bind failed", () -> server.bind(any));
    Probe.see("its state", () -> server.isBound() + " " + server.isClosed());
    Probe.see("its address", server::getLocalSocketAddress);
    System.exit(0); // whatever is left open
  }
}
