package org.slipstream.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/** Memory of this process that peers can map over more than one transport. */
final class SharedMemory implements OwnMemory {
  /** By the names of their transports; the first one has allocated it. */
  private final Map<String, OwnMemory> parts;

  SharedMemory(Map<String, OwnMemory> parts) {
    this.parts = parts;
  }

  @Override
  public MemorySegment segment() {
    return parts.values().iterator().next().segment();
  }

  @Override
  public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out)
      throws IOException {
    OwnMemory part = parts.get(to.transportName());
    if (part == null) {
      throw new IOException("No memory is shared over " + to.transportName());
    }
    part.describe(to, grant, access, out);
  }

  @Override
  public boolean revoke(Session from, String grant) {
    OwnMemory part = parts.get(from.transportName());
    return part != null && part.revoke(from, grant);
  }

  @Override
  public void forget(String grant) {
    parts.values().forEach(part -> part.forget(grant));
  }

  /** The memory itself last: devices may use it until they have been told. */
  @Override
  public void close() {
    List<OwnMemory> all = new ArrayList<>(parts.values());
    for (OwnMemory part : all.reversed()) {
      part.close();
    }
  }
}
