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
   * @return false if the program has one, which is said in one line
   * @throws IOException one of ours could not be taken back
   */
  @SuppressWarnings("deprecation") // the one way in, and not for removal
  public static boolean install() throws IOException {
    SlipstreamSocketFactory clients = new SlipstreamSocketFactory(false);
    SlipstreamSocketFactory servers = new SlipstreamSocketFactory(true);
    try {
      Socket.setSocketImplFactory(clients);
    } catch (SocketException e) {
      FactorySlots.standAside();
      return false;
    }
    try {
      ServerSocket.setSocketFactory(servers);
      return true;
    } catch (SocketException e) {
      FactorySlots.remove(Socket.class, SlipstreamSocketFactory.class);
      FactorySlots.standAside();
      return false;
    }
  }
}
