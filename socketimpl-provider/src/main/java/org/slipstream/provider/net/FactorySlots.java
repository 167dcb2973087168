package org.slipstream.provider.net;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import org.slipstream.provider.nio.JdkSockets;
import org.slipstream.transport.MessageCode;

/** The JDK's two places for a factory, of sockets and of server sockets: leaves them again. */
final class FactorySlots {
  private FactorySlots() {}

  /** Takes both factories back: the JDK refuses to mix ours with the program's. */
  static void stepAside(Class<? extends SocketImplFactory> ours) {
    try {
      remove(Socket.class, ours);
      remove(ServerSocket.class, ours);
      standAside();
    } catch (IOException e) {
      System.err.println(MessageCode.SOCKET_FACTORY_STAYS.line(String.valueOf(e.getMessage())));
    }
  }

  /** What a socket is while Slipstream is off, although the factories are in place. */
  static SocketImpl platformSocket(
      Class<? extends SocketImplFactory> ours, boolean server, boolean direct) {
    try {
      remove(Socket.class, ours);
      remove(ServerSocket.class, ours);
    } catch (IOException e) {
      System.getLogger("org.slipstream").log(Level.DEBUG, "Each socket takes a detour", e);
    }
    return server || direct ? JdkSockets.platform(server) : JdkSockets.platformThroughProxies();
  }

  static void standAside() {
    System.err.println(
        MessageCode.SOCKET_FACTORY.line(
            "Slipstream leaves java.net sockets alone: the program has a socket factory of its"
                + " own"));
  }

  static void remove(Class<?> owner, Class<? extends SocketImplFactory> ours) throws IOException {
    try {
      JdkSockets.removeFactory(owner, ours);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IOException("our socket factory can not be taken back: " + e.getMessage(), e);
    }
  }
}
