package org.slipstream.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.transport.Session;

/** The regions of this process by their names, and the processes that have mapped them. */
final class Exports {
  /** Mappings that one process may have of all regions together. */
  private static final int MOST = 1 << 16;

  private final Map<String, Region> regions = new ConcurrentHashMap<>();

  /** What each peer has mapped, by the peer's numbers. Reactor only. */
  private final Map<Session, Map<Long, Region>> held = new HashMap<>();

  /**
   * Lets others map it.
   *
   * @return false if there is one of that name
   */
  boolean add(Region region) {
    return regions.putIfAbsent(region.name(), region) == null;
  }

  boolean has(String name) {
    return regions.containsKey(name);
  }

  void remove(Region region) {
    regions.remove(region.name(), region);
  }

  List<Region> all() {
    return List.copyOf(regions.values());
  }

  // -- reactor ---------------------------------------------------------------------------------

  void map(Session session, long id, ByteBuffer body) throws IOException {
    MemoryFrame.Request asked = MemoryFrame.readMap(body);
    Map<Long, Region> its = held.computeIfAbsent(session, s -> new HashMap<>());
    if (its.containsKey(id)) {
      throw new IOException("The peer has mapped number " + id + " already");
    }
    Region region = regions.get(asked.name());
    if (asked.version() != MemoryFrame.VERSION) {
      session.send(MemoryFrame.refused(id, MappingException.Reason.VERSION));
    } else if (region == null) {
      session.send(MemoryFrame.refused(id, MappingException.Reason.NO_REGION));
    } else if (its.size() >= MOST) {
      session.send(MemoryFrame.refused(id, MappingException.Reason.TOO_MANY));
    } else {
      its.put(id, region); // before it is mapped, so that the end of the session finds it
      if (!region.request(session, id, asked)) {
        its.remove(id);
      }
    }
  }

  void unmapped(Session session, long id) {
    Map<Long, Region> its = held.get(session);
    Region region = its == null ? null : its.get(id);
    if (its != null && region != null) {
      region.unmapped(session, id);
      its.remove(id);
    }
  }

  /** If there is no memory for it, the next call goes on. */
  void lost(Session session) {
    Map<Long, Region> its = held.get(session);
    if (its != null) {
      its.forEach((id, region) -> region.unmapped(session, id));
      held.remove(session);
    }
  }
}
