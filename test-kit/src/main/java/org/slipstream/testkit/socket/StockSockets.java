package org.slipstream.testkit.socket;

import java.io.IOException;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/** The reference: the JDK's own sockets, in a JVM in which no factory is installed. */
public final class StockSockets implements Sockets {

  /** Takes the sockets of this JVM. */
  public StockSockets() {}

  @Override
  public Socket open() {
    return new Socket();
  }

  @Override
  public Socket openDirect() {
    return new Socket(Proxy.NO_PROXY);
  }

  @Override
  public ServerSocket openServer() throws IOException {
    return new ServerSocket();
  }

  @Override
  public ServerSocket openServer(Accepted accepted) throws IOException {
    return new ServerSocket() {
      @Override
      public Socket accept() throws IOException {
        Socket socket = accepted.make();
        implAccept(socket);
        return socket;
      }
    };
  }

  @Override
  public @Nullable SocketImpl toAcceptInto() {
    return null;
  }

  @Override
  public void settle(Socket client, Socket server) {
    // A kernel connection is what it will always be.
  }

  @Override
  public void assertCarried(Socket client, Socket server) {
    // There is nothing else that could have carried the bytes.
  }
}
