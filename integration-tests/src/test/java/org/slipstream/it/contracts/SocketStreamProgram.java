package org.slipstream.it.contracts;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a {@code Socket}, and {@code ServerSocket} subclasses that accept into any socket.
 */
public final class SocketStreamProgram {
  private static final byte[] FIVE = new byte[5];

  private SocketStreamProgram() {}

  /** A subclass that accepts into a socket of its own, as some programs do. */
  private static final class Server extends ServerSocket {
    private final Socket into;

    Server(Socket into) throws Exception {
      super(0, 5, Pairs.HERE);
      this.into = into;
    }

    @Override
    public Socket accept() throws java.io.IOException {
      implAccept(into);
      return into;
    }
  }

  /** A socket without an implementation, as subclasses may make them. */
  private static final class Bare extends Socket {
    Bare() throws SocketException {
      super((java.net.@Nullable SocketImpl) null);
    }
  }

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    streams();
    accepting();
    System.exit(0); // whatever is left open
  }

  private static void streams() throws Exception {
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      Socket[] pair = Pairs.sockets(talked);
      Probe.see(
          prefix + "streams are the same ones",
          () ->
              Probe.same(pair[0].getInputStream(), pair[0].getInputStream())
                  + " "
                  + Probe.same(pair[0].getOutputStream(), pair[0].getOutputStream()));
      InputStream in = pair[0].getInputStream();
      OutputStream out = pair[0].getOutputStream();
      pair[1].getOutputStream().write(FIVE);
      pair[1].close();
      Thread.sleep(100);
      Probe.see(prefix + "available of five", in::available);
      Probe.see(prefix + "skip two", () -> in.skip(2));
      Probe.see(prefix + "the rest", () -> in.readAllBytes().length);
      Probe.see(prefix + "at the end", in::read);
      Probe.see(prefix + "available at the end", in::available);
      pair[0].close();
      Probe.see(prefix + "read after the end and a close", in::read);
      Probe.see(prefix + "available after a close", in::available);
      Probe.deed(prefix + "write after a close", () -> out.write(1));
      Probe.deed(prefix + "empty write after a close", () -> out.write(FIVE, 0, 0));
      Socket[] shut = Pairs.sockets(talked);
      InputStream shutIn = shut[0].getInputStream();
      OutputStream shutOut = shut[0].getOutputStream();
      shut[1].getOutputStream().write(FIVE);
      Thread.sleep(50);
      shut[0].shutdownInput();
      Probe.see(prefix + "available after shutdownInput", shutIn::available);
      Probe.see(prefix + "read after shutdownInput", shutIn::read);
      shut[0].shutdownOutput();
      Probe.deed(prefix + "write after shutdownOutput", () -> shutOut.write(1));
      Probe.see(prefix + "peer reads", () -> shut[1].getInputStream().read());
      for (boolean linger : new boolean[] {false, true}) {
        Socket[] unread = Pairs.sockets(talked);
        unread[1].getOutputStream().write(FIVE);
        Thread.sleep(50);
        unread[0].setSoLinger(linger, 0);
        unread[0].close();
        Thread.sleep(50);
        unread[1].setSoTimeout(5_000);
        String what = prefix + "linger " + linger + ", ";
        Probe.see(
            what + "closed with unread bytes, the peer reads",
            () -> unread[1].getInputStream().read());
        Probe.see(what + "and again", () -> unread[1].getInputStream().read());
        Probe.deed(what + "and writes", () -> unread[1].getOutputStream().write(1));
      }
    }
  }

  private static void accepting() throws Exception {
    Socket used = new Socket();
    used.setSoTimeout(1_234);
    used.setTcpNoDelay(true);
    accept("into a socket with options", used);
    Socket bound = new Socket();
    bound.bind(new InetSocketAddress(Pairs.HERE, 0));
    accept("into a bound socket", bound);
    accept("into a new socket", new Socket());
    accept("into a bare socket", new Bare());
    accept("into a direct socket", new Socket(java.net.Proxy.NO_PROXY));
    accept("into a connected socket", Pairs.sockets(false)[0]);
  }

  private static void accept(String what, Socket into) throws Exception {
    try (Server server = new Server(into);
        Socket client = new Socket(Pairs.HERE, server.getLocalPort())) {
      client.setSoTimeout(5_000);
      Probe.see(what, () -> Probe.same(server.accept(), into));
      Probe.see("  then", () -> SocketProgram.describe(into));
      Probe.see("  options", () -> into.getSoTimeout() + " " + into.getTcpNoDelay());
      Probe.see(
          "  it talks",
          () -> {
            into.getOutputStream().write(3);
            return client.getInputStream().read();
          });
      Probe.see(
          "  it listens",
          () -> {
            client.getOutputStream().write(4);
            return into.getInputStream().read();
          });
      into.close();
      server.close();
      Probe.see("  it ends", () -> client.getInputStream().read());
    }
  }
}
