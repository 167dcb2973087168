import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;

/**
 * The program of the first hour, for Java 17 and newer: an echo and its client, which checks what comes back. By itself both for a
 * second, or for {@code SECONDS}; {@code server}, and {@code client PORT SECONDS}, are one each; {@code forever} makes a new connection every half second.
 */
public class App {
  private static final int SIZE = 1000;

  public static void main(String[] args) throws Exception {
    switch (args.length == 0 ? "" : args[0]) {
      case "server" -> {
        ServerSocket server = listen();
        System.out.println("port " + server.getLocalPort());
        echo(server);
      }
      case "client" -> talk(Integer.parseInt(args[1]), Double.parseDouble(args[2]));
      case "forever" -> {
        System.out.println("process " + ProcessHandle.current().pid());
        while (true) {
          alone(0.5);
        }
      }
      default -> alone(args.length == 0 ? 1 : Double.parseDouble(args[0]));
    }
  }

  private static void alone(double seconds) throws Exception {
    try (ServerSocket server = listen()) {
      Thread echo = new Thread(() -> echo(server));
      echo.setDaemon(true);
      echo.start();
      talk(server.getLocalPort(), seconds);
    }
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
  }

  /** Of one connection. */
  private static void echo(ServerSocket server) {
    byte[] buffer = new byte[4096];
    try (Socket socket = server.accept()) {
      for (int n; (n = socket.getInputStream().read(buffer)) > 0; ) {
        socket.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      System.err.println("echo: " + e);
    }
  }

  private static void talk(int port, double seconds) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      System.out.println("connected");
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] out = new byte[SIZE];
      byte[] back = new byte[SIZE];
      long end = System.nanoTime() + (long) (seconds * 1e9);
      for (byte round = 0; System.nanoTime() < end; round++) {
        java.util.Arrays.fill(out, round);
        socket.getOutputStream().write(out);
        in.readFully(back);
        if (!java.util.Arrays.equals(out, back)) {
          throw new IOException("what came back has changed");
        }
        Thread.sleep(1);
      }
    }
    System.out.println("talked, over " + SelectorProvider.provider().getClass().getName());
  }
}
