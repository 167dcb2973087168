package org.slipstream.benchmarks.programs;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The address at which the programs of a pair meet: loopback, or {@code -Dbenchmarks.address}, for
 * transports that never join loopback addresses.
 */
final class Host {
  private Host() {}

  static InetAddress address() throws UnknownHostException {
    String address = System.getProperty("benchmarks.address");
    return address == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(address);
  }
}
