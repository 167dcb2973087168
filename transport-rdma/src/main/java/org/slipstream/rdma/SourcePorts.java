package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.ErrorNumbers;
import org.slipstream.rdma.verbs.NativeCallException;

/**
 * Ports of identifiers that connect, or only watch a device. rdma_cm has a port space of its own,
 * but takes its ephemeral ports from the same range as TCP: such an identifier would hold a number
 * that the kernel gives to some listener of the program later, and rdma_cm would refuse that
 * listener as long as the identifier lives. So ours come from behind that range.
 */
final class SourcePorts {
  private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final int LAST = 65535;

  /** Fewer would be taken too often. */
  private static final int LEAST = 256;

  private static final int TRIES = 16;

  private SourcePorts() {}

  /** Does something at a port; 0 leaves the choice to rdma_cm. */
  @FunctionalInterface
  interface Action {
    void at(int port) throws IOException;
  }

  /**
   * Begins to resolve an address from a port of ours, or from one of rdma_cm's choice if there is
   * none.
   *
   * @param id neither bound nor resolved
   * @param local the address of ours that the peer will see
   * @param remote the peer
   * @param timeoutMillis when to give up
   * @throws IOException if it is known at once that there is no way
   */
  static void resolve(CmId id, InetAddress local, InetSocketAddress remote, int timeoutMillis)
      throws IOException {
    boolean mayBind = mayBind(remote.getAddress());
    tryPorts(
        mayBind ? firstBehind(range()) : 0,
        port ->
            id.resolveAddress(
                mayBind ? new InetSocketAddress(local, port) : null, remote, timeoutMillis));
  }

  /**
   * Binds to the device of another identifier, at a port of ours.
   *
   * @param id not bound
   * @param other is bound
   * @throws IOException if the device is gone already
   */
  static void bindBeside(CmId id, CmId other) throws IOException {
    tryPorts(firstBehind(range()), port -> id.bindBeside(other, port));
  }

  /**
   * Does something at the first port that is free.
   *
   * @param first of ours; 0 if there are none
   * @param action tries a port
   * @throws IOException what the action throws for another reason, or at last at port 0
   */
  static void tryPorts(int first, Action action) throws IOException {
    for (int i = 0; first > 0 && i < TRIES; i++) {
      try {
        action.at(ThreadLocalRandom.current().nextInt(first, LAST + 1));
        return;
      } catch (NativeCallException e) {
        // The latter too, if one of the two that want the port wants all addresses.
        if (e.errno() != ErrorNumbers.EADDRINUSE && e.errno() != ErrorNumbers.EADDRNOTAVAIL) {
          throw e;
        }
      }
    }
    action.at(0);
  }

  /** The zone of a link-local address would have to be the source's too. */
  private static boolean mayBind(InetAddress remote) {
    return remote instanceof Inet4Address || !remote.isLinkLocalAddress();
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

  /** In one read: the kernel gives such a file only from its beginning. */
  static String range() {
    byte[] line = new byte[64];
    try (InputStream in = Files.newInputStream(RANGE)) {
      return new String(line, 0, Math.max(0, in.read(line)), US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }
}
