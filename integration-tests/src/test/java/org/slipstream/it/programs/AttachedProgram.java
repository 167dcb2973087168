package org.slipstream.it.programs;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A program without Slipstream, which a test attaches to; it does what its input says. */
public final class AttachedProgram {
  private static final int ROUNDS = 300;
  private static final int BYTES = 2000;

  private AttachedProgram() {}

  /** A server socket whose class makes the accepted socket itself, as that of TLS does. */
  private static final class OwnSockets extends ServerSocket {
    OwnSockets() throws IOException {
      super(0, 50, InetAddress.getLoopbackAddress());
    }

    @Override
    public Socket accept() throws IOException {
      Socket socket = new Socket();
      implAccept(socket);
      return socket;
    }
  }

  public static void main(String[] args) throws Exception {
    System.out.println("ready here");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "listen" -> listen(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        case "listen-own" -> listen(new OwnSockets());
        case "talk" -> talk(Integer.parseInt(words[1]));
        case "channel" -> channel(Integer.parseInt(words[1]));
        default -> throw new IllegalArgumentException(line);
      }
    }
    System.exit(0);
  }

  private static void listen(ServerSocket listener) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          while (true) {
            try {
              Socket socket = listener.accept();
              Thread.ofPlatform().daemon().start(() -> echo(socket));
            } catch (IOException e) {
              System.err.println("accepting failed: " + e);
              return;
            }
          }
        });
    System.out.println("port " + listener.getLocalPort());
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      return; // the client is gone
    }
  }

  /** Talks for a while; the stream stays open. */
  private static void talk(int port) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    for (int i = 0; i < ROUNDS; i++) {
      byte[] data = new byte[BYTES];
      Arrays.fill(data, (byte) i);
      socket.getOutputStream().write(data);
      byte[] echoed = new byte[BYTES];
      in.readFully(echoed);
      if (!Arrays.equals(data, echoed)) {
        throw new IOException("round " + i + " came back changed");
      }
      Thread.sleep(1);
    }
    System.out.println("talked " + socket.getLocalPort());
  }

  private static void channel(int port) throws IOException {
    try (SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
      channel.write(ByteBuffer.wrap(new byte[1]));
      System.out.println("channel " + channel.getClass().getName());
    }
  }
}
