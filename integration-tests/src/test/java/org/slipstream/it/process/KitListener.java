package org.slipstream.it.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What an operator starts at the other host of the hardware kit where there is no {@code ssh}: it
 * runs the commands of {@code fabric-kit-host} for connections that begin with a token ({@link
 * KitLine}). A holder of the token may run them with any setting, so it is started by hand, for the
 * hour of the kit.
 */
public final class KitListener {
  /** Nothing that begins another listener or a line. */
  private static final Set<String> COMMANDS = Set.of("facts", "doctor", "fabric", "serve", "peer");

  private static final int LONGEST_LINE = 4096;
  private static final int SILENCE_MS = 10_000;

  private final String program;
  private final byte[] token;

  private KitListener(String program, String token) {
    this.program = program;
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Listens until it is ended.
   *
   * @param args the program, the port (0 = the kernel chooses), the token
   * @throws IOException the port is taken
   */
  public static void main(String[] args) throws IOException {
    KitListener listener = new KitListener(args[0], args[2]);
    try (ServerSocket server = new ServerSocket(Integer.parseInt(args[1]))) {
      System.out.println(
          "fabric-kit: waits at port "
              + server.getLocalPort()
              + " for the other host, until Ctrl-C");
      while (true) {
        Socket socket = server.accept();
        Thread.ofPlatform().daemon().start(() -> listener.serve(socket));
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setSoTimeout(SILENCE_MS);
      String[] words = readLine(socket.getInputStream()).split(" ", -1);
      socket.setSoTimeout(0);
      byte[] said = words[0].getBytes(StandardCharsets.UTF_8);
      if (!MessageDigest.isEqual(said, token) || words.length < 2) {
        System.out.println("fabric-kit: " + socket.getRemoteSocketAddress() + " has no token");
        return;
      }
      if (!COMMANDS.contains(words[1])) {
        end(socket, 2);
        return;
      }
      System.out.println("fabric-kit: " + words[1]);
      List<String> command = new ArrayList<>(List.of(program));
      command.addAll(List.of(words).subList(1, words.length));
      run(socket, command);
    } catch (IOException e) {
      System.out.println("fabric-kit: a line broke: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void run(Socket socket, List<String> command)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      Thread.ofPlatform().daemon().start(() -> pass(socket, process));
      process.getInputStream().transferTo(socket.getOutputStream());
      end(socket, process.waitFor());
    } finally {
      process.destroy();
    }
  }

  /** Its input; the end of the line is the end of the program. */
  private static void pass(Socket from, Process to) {
    try (OutputStream out = to.getOutputStream()) {
      InputStream in = from.getInputStream();
      byte[] some = new byte[LONGEST_LINE];
      for (int n = in.read(some); n >= 0; n = in.read(some)) {
        out.write(some, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      to.destroy();
    }
  }

  private static void end(Socket socket, int code) throws IOException {
    String line = KitLine.END + Integer.toString(code) + "\n";
    socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
  }

  /** Without reading on: what follows is the command's. */
  private static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0 || line.length() >= LONGEST_LINE) {
        throw new IOException("it did not say what to do");
      }
      line.append((char) b);
    }
    return line.toString();
  }
}
