package org.slipstream.ntb;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;

/**
 * Which process listens where on other nodes. An entry stays connected, so that a look at it is a
 * look at its connection and not at the other node. Set-up thread only.
 */
final class AdvertisementTable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  /** Entries that stay connected; each holds a page of an adapter's address space. */
  private static final int MAX_ENTRIES = 64;

  private record Place(Fabric fabric, int node, int segmentId) {}

  private record Entry(Imported imported, Advertisement advertisement) {}

  private final Map<Place, Entry> entries = new LinkedHashMap<>();

  /** The processes of a node that listen at an address: for streams, or for memory. */
  List<Advertisement> find(boolean ofMemory, Fabric fabric, int node, InetSocketAddress remote)
      throws IOException {
    List<Advertisement> found = new ArrayList<>();
    for (int sibling = 0; sibling < SegmentIds.SIBLINGS; sibling++) {
      int id = SegmentIds.advertisement(ofMemory, remote.getPort(), sibling);
      Place place = new Place(fabric, node, id);
      Advertisement advertisement = look(place);
      if (advertisement != null && advertisement.listensAt(remote.getAddress())) {
        found.add(advertisement);
      }
    }
    return found;
  }

  private @Nullable Advertisement look(Place place) throws IOException {
    Entry entry = entries.get(place);
    if (entry != null) {
      if (entry.imported.health() == Imported.Health.GOOD) {
        return entry.advertisement;
      }
      entries.remove(place);
      entry.imported.close();
    }
    Imported imported = place.fabric.connect(place.node, place.segmentId, false);
    if (imported == null) {
      return null;
    }
    byte[] bytes = new byte[Advertisement.BYTES];
    Advertisement advertisement = null;
    if (imported.memory().byteSize() >= Advertisement.BYTES) {
      imported.read(0, bytes);
      advertisement = Advertisement.read(bytes);
    }
    if (advertisement == null) {
      LOG.log(Level.DEBUG, () -> "Segment " + place + " is no advertisement of ours");
      imported.close();
      return null;
    }
    makeRoom();
    entries.put(place, new Entry(imported, advertisement));
    return advertisement;
  }

  private void makeRoom() {
    Iterator<Entry> oldest = entries.values().iterator();
    while (entries.size() >= MAX_ENTRIES && oldest.hasNext()) {
      oldest.next().imported.close();
      oldest.remove();
    }
  }
}
