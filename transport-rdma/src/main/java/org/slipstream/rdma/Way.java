package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * From an address of ours to a listener. Sessions belong to both: without a cluster key a peer
 * takes offers only of connections from the address that the session comes from.
 *
 * @param local an address of ours
 * @param remote where a program listens
 */
record Way(InetAddress local, InetSocketAddress remote) {
  @Override
  public String toString() {
    return remote + " from " + local.getHostAddress();
  }
}
