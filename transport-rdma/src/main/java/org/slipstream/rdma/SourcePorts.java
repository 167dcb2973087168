package org.slipstream.rdma;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.NativeCallException;

/**
 * From which port we connect. rdma_cm has a port space of its own, but takes its ephemeral ports
 * from the same range as TCP: a session would hold a number that the kernel gives to some listener
 * of the program later, and rdma_cm would refuse that listener as long as the session lives. So
 * ours come from behind that range.
 */
final class SourcePorts {
  private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final int LAST = 65535;

  /** Fewer would be taken too often. */
  private static final int LEAST = 256;

  private static final int TRIES = 16;
  private static final int ADDRESS_IN_USE = 98;

  private SourcePorts() {}

  /**
   * Begins to resolve an address from a port of ours, or from one of rdma_cm's choice if there is
   * none.
   *
   * @param id neither bound nor resolved
   * @param remote the peer
   * @param timeoutMillis when to give up
   * @throws IOException if it is known at once that there is no way
   */
  static void resolve(CmId id, InetSocketAddress remote, int timeoutMillis) throws IOException {
    int first = mayBind(remote.getAddress()) ? firstBehind(range()) : 0;
    for (int i = 0; first > 0 && i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(first, LAST + 1);
      try {
        id.resolveAddress(any(remote.getAddress(), port), remote, timeoutMillis);
        return;
      } catch (NativeCallException e) {
        if (e.errno() != ADDRESS_IN_USE) {
          throw e;
        }
      }
    }
    id.resolveAddress(null, remote, timeoutMillis);
  }

  /** The zone of a link-local address would have to be the source's too. */
  private static boolean mayBind(InetAddress remote) {
    return remote instanceof Inet4Address || !remote.isLinkLocalAddress();
  }

  private static InetSocketAddress any(InetAddress remote, int port) throws IOException {
    byte[] wildcard = new byte[remote instanceof Inet6Address ? 16 : 4];
    return new InetSocketAddress(InetAddress.getByAddress(wildcard), port);
  }

  /** Returns the first port behind the kernel's ephemeral ones; 0 if too few are left. */
  static int firstBehind(String range) {
    String[] bounds = range.strip().split("\\s+", -1);
    try {
      int first = Integer.parseInt(bounds[bounds.length - 1]) + 1;
      return first > 1024 && first <= LAST + 1 - LEAST ? first : 0;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static String range() {
    try {
      return Files.readString(RANGE);
    } catch (IOException e) {
      return "";
    }
  }
}
