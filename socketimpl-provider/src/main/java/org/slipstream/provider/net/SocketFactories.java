package org.slipstream.provider.net;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkSockets;

/**
 * Puts our implementations behind {@code java.net}, for sockets and server sockets together: the
 * JDK refuses to mix implementations.
 */
public final class SocketFactories {
  private SocketFactories() {}

  /**
   * Installs both factories, or none if the program has one already. Starts nothing yet.
   *
   * @throws IOException never for a factory that is there already, which is said in one line
   */
  @SuppressWarnings("deprecation") // the one way in, and not for removal
  public static void install() throws IOException {
    SlipstreamSocketFactory clients = new SlipstreamSocketFactory(Installation::get, false);
    SlipstreamSocketFactory servers = new SlipstreamSocketFactory(Installation::get, true);
    try {
      Socket.setSocketImplFactory(clients);
    } catch (SocketException e) {
      standAside();
      return;
    }
    try {
      ServerSocket.setSocketFactory(servers);
    } catch (SocketException e) {
      remove(Socket.class);
      standAside();
    }
  }

  /** Takes both factories back: the JDK refuses to mix ours with the program's. */
  static void stepAside() {
    try {
      remove(Socket.class);
      remove(ServerSocket.class);
      standAside();
    } catch (IOException e) {
      System.err.println("Slipstream: " + e.getMessage());
    }
  }

  /** What a socket is while Slipstream is off, although the factories are in place. */
  static SocketImpl platformSocket(boolean server, boolean direct) {
    try {
      remove(Socket.class);
      remove(ServerSocket.class);
    } catch (IOException e) {
      System.getLogger("org.slipstream").log(Level.DEBUG, "Each socket takes a detour", e);
    }
    return server || direct ? JdkSockets.platform(server) : JdkSockets.platformThroughProxies();
  }

  private static void standAside() {
    System.err.println(
        "Slipstream leaves java.net sockets alone: the program has a socket factory of its own");
  }

  private static void remove(Class<?> owner) throws IOException {
    try {
      JdkSockets.removeFactory(owner, SlipstreamSocketFactory.class);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IOException("our socket factory can not be taken back: " + e.getMessage(), e);
    }
  }
}
