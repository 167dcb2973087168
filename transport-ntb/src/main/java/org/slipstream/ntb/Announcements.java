package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.TransportHost;

/**
 * What this process says of its listeners and of its memory, in a segment of each of its nodes.
 * Safe for any thread.
 */
final class Announcements implements Closeable {
  private record Place(InetSocketAddress address, boolean ofMemory) {}

  private static final class Announced {
    final List<Exported> segments = new ArrayList<>();
    int users = 1;
  }

  private final TransportHost host;
  private final Collection<Fabric> fabrics;
  private final byte @Nullable [] key;

  /** By what they announce; listeners share one. Guarded by this. */
  private final Map<Place, Announced> announced = new HashMap<>();

  /**
   * Nothing is announced yet.
   *
   * @param fabrics of all nodes of this process
   * @param key of the cluster; null = none
   */
  Announcements(TransportHost host, Collection<Fabric> fabrics, byte @Nullable [] key) {
    this.host = host;
    this.fabrics = fabrics;
    this.key = key;
  }

  /**
   * Announces an address until the result is closed as often as it was announced.
   *
   * @param ofMemory whether one-sided memory is there, and not a listener
   */
  synchronized Closeable add(InetSocketAddress address, boolean ofMemory) throws IOException {
    Place place = new Place(address, ofMemory);
    Announced known = announced.get(place);
    if (known == null) {
      known = new Announced();
      for (Fabric fabric : fabrics) {
        known.segments.add(present(fabric, place));
      }
      announced.put(place, known);
    } else {
      known.users++;
    }
    return () -> withdraw(place);
  }

  private Exported present(Fabric fabric, Place place) throws IOException {
    InetSocketAddress address = place.address;
    byte[] content =
        Advertisement.of(host.processId(), fabric.inbox(), address.getAddress(), key).bytes();
    for (int sibling = 0; sibling < SegmentIds.SIBLINGS; sibling++) {
      int id = SegmentIds.advertisement(place.ofMemory, address.getPort(), sibling);
      Exported segment = fabric.export(id, Advertisement.SEGMENT_BYTES, content);
      if (segment != null) {
        return segment;
      }
    }
    throw new IOException(
        "port " + address.getPort() + " is announced " + SegmentIds.SIBLINGS + " times already");
  }

  private synchronized void withdraw(Place place) {
    Announced known = announced.get(place);
    if (known != null && --known.users == 0) {
      announced.remove(place);
      known.segments.forEach(Exported::close);
    }
  }

  /** The process leaves. */
  @Override
  public synchronized void close() {
    announced.values().forEach(a -> a.segments.forEach(Exported::close));
    announced.clear();
  }
}
