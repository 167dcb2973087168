package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pairs ports of this host with those of a peer: each port is in one pair at most, so that one that
 * fails takes one session with it. Pure.
 */
final class RailWays {
  /** Ports of a host that are used for one peer. */
  static final int MOST = 4;

  private RailWays() {}

  /**
   * The ways to a process, in the order in which they are preferred.
   *
   * @param first by which the process was found
   * @param own ports of this host
   * @param told where the process listens on its other ports
   * @param source the address of ours that the route to another one has; null if there is no route
   * @param addressOf the address of a port of ours, of the family of another address; or null
   * @return the first one, and others if both hosts have other ports
   */
  static List<Way> of(
      Way first,
      List<RdmaDevices.Port> own,
      List<InetSocketAddress> told,
      Function<InetSocketAddress, @Nullable InetAddress> source,
      AddressOf addressOf) {
    List<Way> ways = new ArrayList<>(List.of(first));
    List<RdmaDevices.Port> free = new ArrayList<>(own);
    if (!free.removeIf(port -> port.hasAddress(first.local()))) {
      return ways; // of another kind than these
    }
    for (InetSocketAddress there : told) {
      if (ways.size() == MOST || there.getAddress().equals(first.remote().getAddress())) {
        continue;
      }
      Way way = routed(there, free, source.apply(there), addressOf);
      if (way != null) {
        free.removeIf(port -> port.hasAddress(way.local()));
        ways.add(way);
      }
    }
    return ways;
  }

  /** An address of a port of ours. */
  @FunctionalInterface
  interface AddressOf {
    @Nullable InetAddress get(RdmaDevices.Port port, InetAddress like);
  }

  /**
   * The kernel's route says which port it is, unless both hosts have several in one network: then
   * all routes lead over the first one, and the next free port is as good as any.
   */
  private static @Nullable Way routed(
      InetSocketAddress there,
      List<RdmaDevices.Port> free,
      @Nullable InetAddress routed,
      AddressOf addressOf) {
    if (routed == null) {
      return null;
    }
    if (free.stream().anyMatch(port -> port.hasAddress(routed))) {
      return new Way(routed, there);
    }
    for (RdmaDevices.Port port : free) {
      InetAddress local = addressOf.get(port, there.getAddress());
      if (local != null) {
        return new Way(local, there);
      }
    }
    return null;
  }
}
