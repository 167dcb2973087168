package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slipstream.transport.Withdrawal;

/** The advertisements of a process, on each of its fabrics. Any thread. */
final class Announcements implements Closeable {
  private record Place(InetSocketAddress address, boolean ofMemory) {}

  private static final class Announced {
    final List<Exported> segments = new ArrayList<>();
    int users = 1;
  }

  /** Writes an advertisement. */
  interface Content {
    /**
     * What it says.
     *
     * @param fabric on which it is
     * @param address that is announced
     */
    Advertisement of(Fabric fabric, InetSocketAddress address);
  }

  private final Collection<Fabric> fabrics;
  private final Content content;

  /** By what they announce; listeners share one. Guarded by this. */
  private final Map<Place, Announced> announced = new HashMap<>();

  Announcements(Collection<Fabric> fabrics, Content content) {
    this.fabrics = List.copyOf(fabrics);
    this.content = content;
  }

  /**
   * Announces an address.
   *
   * @param ofMemory for one-sided memory; for streams otherwise
   * @return takes it back
   */
  Closeable add(InetSocketAddress address, boolean ofMemory) throws IOException {
    Place place = new Place(address, ofMemory);
    synchronized (this) {
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
    }
    return new Withdrawal(() -> withdraw(place));
  }

  private Exported present(Fabric fabric, Place place) throws IOException {
    InetSocketAddress address = place.address;
    byte[] bytes = content.of(fabric, address).bytes();
    for (int sibling = 0; sibling < SegmentIds.SIBLINGS; sibling++) {
      int id = SegmentIds.advertisement(place.ofMemory, address.getPort(), sibling);
      Exported segment = fabric.export(id, Advertisement.SEGMENT_BYTES, bytes);
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

  /** Takes all of them back. */
  @Override
  public synchronized void close() {
    announced.values().forEach(a -> a.segments.forEach(Exported::close));
    announced.clear();
  }
}
