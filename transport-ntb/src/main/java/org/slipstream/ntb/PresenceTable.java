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

/**
 * Which process listens where on other nodes. An entry stays connected, so that a look at it is a
 * look at its connection and not at the other node. Set-up thread only.
 */
final class PresenceTable {
  private static final System.Logger LOG = System.getLogger("org.slipstream.ntb");

  /** Entries that stay connected; each holds a page of an adapter's address space. */
  private static final int MAX_ENTRIES = 64;

  private record Place(Fabric fabric, int node, int segmentId) {}

  private record Entry(Imported imported, Presence presence) {}

  private final Map<Place, Entry> entries = new LinkedHashMap<>();

  /** The processes of a node that may have accepted a connection to an address. */
  List<Presence> find(Fabric fabric, int node, InetSocketAddress remote) throws IOException {
    List<Presence> found = new ArrayList<>();
    for (int sibling = 0; sibling < SegmentIds.SIBLINGS; sibling++) {
      Place place = new Place(fabric, node, SegmentIds.presence(remote.getPort(), sibling));
      Presence presence = look(place);
      if (presence != null && presence.listensAt(remote.getAddress())) {
        found.add(presence);
      }
    }
    return found;
  }

  private @Nullable Presence look(Place place) throws IOException {
    Entry entry = entries.get(place);
    if (entry != null) {
      if (entry.imported.health() == Imported.Health.GOOD) {
        return entry.presence;
      }
      entries.remove(place);
      entry.imported.close();
    }
    Imported imported = place.fabric.connect(place.node, place.segmentId, false);
    if (imported == null) {
      return null;
    }
    byte[] bytes = new byte[Presence.BYTES];
    Presence presence = null;
    if (imported.memory().byteSize() >= Presence.BYTES) {
      imported.read(0, bytes);
      presence = Presence.read(bytes);
    }
    if (presence == null) {
      LOG.log(Level.DEBUG, () -> "Segment " + place + " is no presence of ours");
      imported.close();
      return null;
    }
    makeRoom();
    entries.put(place, new Entry(imported, presence));
    return presence;
  }

  private void makeRoom() {
    Iterator<Entry> oldest = entries.values().iterator();
    while (entries.size() >= MAX_ENTRIES && oldest.hasNext()) {
      oldest.next().imported.close();
      oldest.remove();
    }
  }
}
