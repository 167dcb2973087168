package org.slipstream.testkit.transport;

import java.io.IOException;
import java.net.InetAddress;
import org.slipstream.transport.Transport;

/** How the contract tests open a backend: as two processes, both in this JVM. */
public interface Backend {

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
