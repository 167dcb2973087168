package org.slipstream.provider.net;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.slipstream.provider.nio.Installation;

/**
 * Puts our implementations behind {@code java.net}, for sockets and server sockets together: the
 * JDK refuses to mix implementations.
 */
public final class SocketFactories {
  private SocketFactories() {}

  /**
   * Installs both factories, or none if the program has one already.
   *
   * @param installation with a running core
   * @throws IOException never for a factory that is there already, which is said in one line
   */
  @SuppressWarnings("deprecation") // the one way in, and not for removal
  public static void install(Installation installation) throws IOException {
    SlipstreamSocketFactory clients = new SlipstreamSocketFactory(installation, false);
    SlipstreamSocketFactory servers = new SlipstreamSocketFactory(installation, true);
    try {
      Socket.setSocketImplFactory(clients);
    } catch (SocketException e) {
      standAside();
      return;
    }
    try {
      ServerSocket.setSocketFactory(servers);
    } catch (SocketException e) {
      remove(Socket.class, clients);
      standAside();
    }
  }

  private static void standAside() {
    System.err.println(
        "Slipstream leaves java.net sockets alone: the program has a socket factory of its own");
  }

  private static void remove(Class<?> owner, SlipstreamSocketFactory ours) throws IOException {
    try {
      Field factory = owner.getDeclaredField("factory");
      factory.setAccessible(true);
      if (ours.equals(factory.get(null))) {
        factory.set(null, null);
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IOException("our socket factory can not be taken back: " + e.getMessage(), e);
    }
  }
}
