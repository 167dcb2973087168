package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;

/** What the kernel's routes say. */
final class Routes {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  private Routes() {}

  /**
   * The address of ours that the route to another one has; null if there is none. Sends nothing.
   */
  static @Nullable InetAddress source(InetSocketAddress remote) {
    try (DatagramChannel route = DatagramChannel.open()) {
      route.connect(remote);
      return ((InetSocketAddress) route.getLocalAddress()).getAddress();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "No route", e);
      return null;
    }
  }
}
