package org.slipstream.it.programs;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImplFactory;
import java.util.Arrays;

/**
 * A program that knows nothing but {@code java.net}: an echo and its client. With the word {@code
 * factory} it first tries to set a socket factory of its own.
 */
public final class SocketProgram {
  private static final int ROUNDS = 300;
  private static final int BYTES = 2000;

  private SocketProgram() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 2) {
      setFactory();
    }
    if (args[0].equals("client")) {
      talk(Integer.parseInt(args[1]));
      return;
    }
    ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().start(() -> acceptAll(listener));
    Role.serving(listener.getLocalPort());
  }

  @SuppressWarnings("deprecation") // what some programs do
  private static void setFactory() throws IOException {
    SocketImplFactory none =
        () -> {
          throw new IllegalStateException("the program's own factory");
        };
    try {
      Socket.setSocketImplFactory(none);
      System.out.println("factory set");
    } catch (SocketException e) {
      System.out.println("factory " + e.getMessage());
    }
  }

  private static void acceptAll(ServerSocket listener) {
    for (; ; ) {
      try {
        Socket socket = listener.accept();
        Thread.startVirtualThread(() -> echo(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      return; // the client is gone
    }
  }

  /** Talks for a while, and goes on talking for as long as the program lives. */
  private static void talk(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < ROUNDS; i++) {
      exchange(socket, i);
    }
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            for (int i = ROUNDS; ; i++) {
              exchange(socket, i);
              Thread.sleep(1);
            }
          } catch (IOException | InterruptedException e) {
            System.err.println("The conversation ended: " + e);
          }
        });
    Role.done(ROUNDS + " rounds");
  }

  private static void exchange(Socket socket, int round) throws IOException {
    byte[] data = new byte[BYTES];
    Arrays.fill(data, (byte) round);
    socket.getOutputStream().write(data);
    byte[] echoed = new byte[BYTES];
    new DataInputStream(socket.getInputStream()).readFully(echoed);
    if (!Arrays.equals(data, echoed)) {
      throw new IOException("round " + round + " came back changed");
    }
  }
}
