package org.slipstream.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The asking end of a line to {@link KitListener}, in place of {@code ssh}: standard input goes
 * there, standard output comes from there, and so does the exit code.
 *
 * <pre>
 *   client:  TOKEN COMMAND ARGUMENTS, a line; then the command's standard input
 *   server:  what the command says; then a line {@code EOT CODE}
 * </pre>
 */
public final class KitLine {
  /** Begins the last line; no text of a program begins so. */
  static final char END = 0x04;

  /** The line broke. That of {@code ssh}. */
  private static final int BROKEN = 255;

  private static final int CONNECT_MS = 20_000;

  private KitLine() {}

  /**
   * Runs a command at the other end.
   *
   * @param args address, port, token, command and its arguments
   * @throws IOException the other end is not reached
   */
  public static void main(String[] args) throws IOException {
    int code = BROKEN;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(args[0], Integer.parseInt(args[1])), CONNECT_MS);
      String[] words = Arrays.copyOfRange(args, 2, args.length);
      OutputStream out = socket.getOutputStream();
      out.write((String.join(" ", words) + "\n").getBytes(StandardCharsets.UTF_8));
      Thread.ofPlatform().daemon().start(() -> pass(System.in, socket));
      code = print(socket.getInputStream());
    } catch (IOException e) {
      System.err.println("the line to " + args[0] + ":" + args[1] + " broke: " + e.getMessage());
    }
    System.exit(code);
  }

  private static int print(InputStream from) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.isEmpty() && line.charAt(0) == END) {
        return Integer.parseInt(line.substring(1));
      }
      out.println(line);
    }
    return BROKEN;
  }

  /** As long as there is any; the command sees its end. */
  private static void pass(InputStream from, Socket to) {
    try {
      from.transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      return; // the other thread hears of it
    }
  }
}
