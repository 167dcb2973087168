package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where this process listens on ports by which it has not been found: at numbers of its own behind
 * the kernel's ephemeral ones, because the number of the program's listener may be that of another
 * process at another address. Event thread only.
 */
final class RailListeners {
  private static final int LAST = 65535;
  private static final int TRIES = 16;

  private final OwnPorts ports;
  private final Listening listeners;
  private final IntSupplier firstPort;
  private final Map<InetAddress, InetSocketAddress> all = new HashMap<>();

  /** Listens by rdma_cm, and stops. */
  interface Listening {
    /** False if it does not, for now. */
    boolean listen(InetSocketAddress address);

    void unlisten(InetSocketAddress address);
  }

  /**
   * None yet.
   *
   * @param firstPort the first number that may be taken; 0 if none may
   */
  RailListeners(OwnPorts ports, Listening listeners, IntSupplier firstPort) {
    this.ports = ports;
    this.listeners = listeners;
    this.firstPort = firstPort;
  }

  /**
   * Listens on all ports but one.
   *
   * @param here whether a port is the one that a peer has found
   * @param peer addresses of the same family are told
   * @return where
   */
  List<InetSocketAddress> beside(Predicate<RdmaDevices.Port> here, InetAddress peer) {
    List<InetSocketAddress> told = new ArrayList<>();
    List<RdmaDevices.Port> usable = ports.usable();
    if (usable.size() < 2 || usable.stream().noneMatch(here)) {
      return told;
    }
    for (RdmaDevices.Port port : usable) {
      InetAddress address = here.test(port) ? null : ports.address(port, peer);
      InetSocketAddress at = address == null ? null : at(address);
      if (at != null && told.size() < RailWays.MOST) {
        told.add(at);
      }
    }
    return told;
  }

  private @Nullable InetSocketAddress at(InetAddress address) {
    InetSocketAddress known = all.get(address);
    int first = firstPort.getAsInt();
    for (int i = 0; known == null && first > 0 && i < TRIES; i++) {
      int number = ThreadLocalRandom.current().nextInt(first, LAST + 1);
      InetSocketAddress at = new InetSocketAddress(address, number);
      if (listeners.listen(at)) {
        all.put(address, at);
        return at;
      }
      listeners.unlisten(at);
    }
    return known;
  }
}
