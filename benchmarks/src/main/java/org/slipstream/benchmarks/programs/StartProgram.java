package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Begins, connects once, exchanges one message, and says how long that took. */
public final class StartProgram {
  private static final int BYTES = 64;

  private StartProgram() {}

  /**
   * Connects to the port of the second argument, by {@code channel}, {@code socket} or {@code
   * both}.
   */
  public static void main(String[] args) throws IOException {
    System.out.println("main");
    long before = System.nanoTime();
    InetSocketAddress server = new InetSocketAddress(Host.address(), Integer.parseInt(args[1]));
    if (!args[0].equals("socket")) {
      try (SocketChannel channel = SocketChannel.open(server)) {
        ByteBuffer message = ByteBuffer.allocate(BYTES);
        Connections.writeFully(channel, message);
        Connections.readFully(channel, message);
      }
    }
    if (!args[0].equals("channel")) {
      try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
        socket.getOutputStream().write(new byte[BYTES]);
        socket.getInputStream().readNBytes(BYTES);
      }
    }
    System.out.println("connected " + (System.nanoTime() - before));
  }
}
