package org.slipstream.provider.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

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
    SlipstreamSocketFactory clients = new SlipstreamSocketFactory(false);
    SlipstreamSocketFactory servers = new SlipstreamSocketFactory(true);
    try {
      Socket.setSocketImplFactory(clients);
    } catch (SocketException e) {
      FactorySlots.standAside();
      return;
    }
    try {
      ServerSocket.setSocketFactory(servers);
    } catch (SocketException e) {
      FactorySlots.remove(Socket.class, SlipstreamSocketFactory.class);
      FactorySlots.standAside();
    }
  }
}
