package org.slipstream.it.programs;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** What {@code slipstream try} is tried with: it does as its first argument says. */
public final class TriedProgram {
  private static final int ROUNDS = 400;
  private static final int BYTES = 2000;
  private static final int FAILED = 7;

  private TriedProgram() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "server" -> serve(Path.of(args[1]));
      case "client" -> talk(Integer.parseInt(Files.readString(Path.of(args[1]))));
      case "fail" -> System.exit(FAILED);
      case "nothing" -> {}
      case "fail-on" -> {
        boolean on = System.getProperty("java.nio.channels.spi.SelectorProvider") != null;
        System.exit(on ? FAILED : 0);
      }
      case "family" -> {
        Process child = new ProcessBuilder("sleep", "3600").start();
        Files.writeString(
            Path.of(args[1]),
            ProcessHandle.current().pid() + " " + child.pid() + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
        try (ServerSocket _ = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
          Thread.sleep(3_600_000);
        }
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void serve(Path file) throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Path written = Files.writeString(Path.of(file + ".new"), listener.getLocalPort() + "");
      Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
      System.out.println("the server listens");
      while (true) {
        Socket socket = listener.accept();
        Thread.ofPlatform().daemon().start(() -> echo(socket));
      }
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      return; // the client has ended
    }
  }

  /** One stream that lives for some looks. */
  private static void talk(int port) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      for (int i = 0; i < ROUNDS; i++) {
        exchange(socket);
        Thread.sleep(5);
      }
    }
    System.out.println("the client has talked");
  }

  private static void exchange(Socket socket) throws IOException {
    socket.getOutputStream().write(new byte[BYTES]);
    new DataInputStream(socket.getInputStream()).readFully(new byte[BYTES]);
  }
}
