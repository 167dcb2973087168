package org.slipstream.testkit.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/** Where a row of the matrix gets its sockets from, and what carries their bytes. */
public interface Sockets {

  /** Makes the socket that a server socket accepts a connection into. */
  @FunctionalInterface
  interface Accepted {
    /** A new socket, unconnected. */
    Socket make() throws IOException;
  }

  /** A new, unconnected socket. */
  Socket open() throws IOException;

  /** What {@code new Socket(Proxy.NO_PROXY)} is: it connects directly, whatever a selector says. */
  Socket openDirect() throws IOException;

  /** A new, unbound server socket; it accepts sockets of this row. */
  ServerSocket openServer() throws IOException;

  /** A server socket of a subclass, which accepts into sockets of another subclass. */
  ServerSocket openServer(Accepted accepted) throws IOException;

  /**
   * What a subclass of {@link Socket} hands to its superclass so that a server socket of this row
   * can accept into it.
   *
   * @return null where the server socket brings the implementation
   */
  @Nullable SocketImpl toAcceptInto();

  /**
   * Brings a connected pair to the state that the carrier stands for. Whatever traffic that takes
   * is consumed; called from one thread.
   */
  void settle(Socket client, Socket server) throws IOException;

  /**
   * Fails unless the bytes of these sockets travelled on the carrier. They are open, but a
   * direction may have been shut down.
   */
  void assertCarried(Socket client, Socket server);
}
