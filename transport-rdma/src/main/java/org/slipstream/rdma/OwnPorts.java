package org.slipstream.rdma;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ports of this host that may be a second way to a peer: RoCE, because there a GID is the
 * address by which rdma_cm finds the port. Looked at in sysfs, and not again for some seconds.
 * Event thread only.
 */
final class OwnPorts {
  private static final long LOOK_NS = 5_000_000_000L;

  private final RdmaSettings settings;
  private final Supplier<List<RdmaDevices.Port>> look;
  private final LongSupplier clock;
  private @Nullable List<RdmaDevices.Port> usable;
  private long lookedAt;

  OwnPorts(RdmaSettings settings) {
    this(settings, RdmaDevices::ports, System::nanoTime);
  }

  /** For tests. */
  OwnPorts(RdmaSettings settings, Supplier<List<RdmaDevices.Port>> look, LongSupplier clock) {
    this.settings = settings;
    this.look = look;
    this.clock = clock;
  }

  /** Those that the settings allow, whatever their state: a port that is down comes back. */
  List<RdmaDevices.Port> usable() {
    long now = clock.getAsLong();
    List<RdmaDevices.Port> known = usable;
    if (known == null || now - lookedAt > LOOK_NS) {
      known = look.get().stream().filter(p -> p.isRoce() && settings.allows(p)).toList();
      usable = known;
      lookedAt = now;
    }
    return known;
  }

  /** The kernel shows something else from now on. */
  void changed() {
    usable = null;
  }

  /**
   * The address of a port by which peers reach it.
   *
   * @param like of the same family
   * @return the first that is allowed and not of the link only; null if there is none
   */
  @Nullable InetAddress address(RdmaDevices.Port port, InetAddress like) {
    for (byte[] gid : port.gids()) {
      InetAddress address = address(gid);
      if (address instanceof Inet4Address == like instanceof Inet4Address
          && !address.isLinkLocalAddress()
          && !address.isLoopbackAddress()
          && settings.allowsGid(address)) {
        return address;
      }
    }
    return null;
  }

  private static InetAddress address(byte[] gid) {
    try {
      return InetAddress.getByAddress(gid); // an Inet4Address of one that is mapped
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // of 16 bytes
    }
  }
}
