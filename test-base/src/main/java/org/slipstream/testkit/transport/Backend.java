package org.slipstream.testkit.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.util.function.Supplier;
import org.slipstream.transport.Transport;

/** How the contract tests open a backend: as two processes, both in this JVM. */
public interface Backend {

  /**
   * A backend whose two processes are opened in the same way.
   *
   * @param transport opens it for one process
   * @return the backend
   */
  static Backend of(Supplier<? extends Transport> transport) {
    return new Backend() {
      @Override
      public Transport client() {
        return transport.get();
      }

      @Override
      public Transport server() {
        return transport.get();
      }
    };
  }

  /**
   * The transport of the process that connects.
   *
   * @return a new one, or the one that {@link #server} returns, if that can be opened twice
   */
  Transport client() throws IOException;

  /**
   * The transport of the process that accepts; opened first.
   *
   * @return the transport
   */
  Transport server() throws IOException;

  /**
   * Where the process that accepts listens.
   *
   * @return an address of this host
   */
  default InetAddress serverAddress() {
    return InetAddress.getLoopbackAddress();
  }

  /**
   * Where the process that connects connects from.
   *
   * @return an address of this host
   */
  default InetAddress clientAddress() {
    return InetAddress.getLoopbackAddress();
  }

  /**
   * How large the rings are.
   *
   * @return a power of two of bytes
   */
  default int ringBytes() {
    return 64 * 1024;
  }
}
