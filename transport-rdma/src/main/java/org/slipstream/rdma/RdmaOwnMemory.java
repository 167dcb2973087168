package org.slipstream.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/**
 * One-sided memory of this process, registered once for each grant and device: the device itself
 * checks what a grant allows, and forgets the key when it is revoked. Safe for any thread.
 */
final class RdmaOwnMemory implements OwnMemory {
  private record Key(String grant, long device) {}

  private record Registered(MemoryDevice device, MemoryRegion region) {}

  private final MemoryDevices devices;
  private final MemorySegment memory;

  /** Of memory that was allocated here; null if another transport has. */
  private final @Nullable Arena arena;

  /** Guarded by this. */
  private final Map<Key, Registered> keys = new HashMap<>();

  private boolean closed;

  RdmaOwnMemory(MemoryDevices devices, MemorySegment memory, @Nullable Arena arena) {
    this.devices = devices;
    this.memory = memory;
    this.arena = arena;
  }

  @Override
  public MemorySegment segment() {
    return memory;
  }

  @Override
  public synchronized void describe(Session to, String grant, MemoryAccess access, ByteBuffer out)
      throws IOException {
    if (closed || !(to instanceof RdmaSession session)) {
      throw new IOException("There is no such memory");
    }
    Key key = new Key(grant, session.device().address());
    MemoryDevice device = devices.of(session.device());
    Registered registered = keys.get(key);
    if (registered == null || !device.has(registered.region)) { // the device may have come anew
      registered = new Registered(device, device.register(memory, access));
      keys.put(key, registered);
    }
    session.holdMemory();
    device.describe(memory, registered.region).put(out);
  }

  @Override
  public boolean revoke(Session from, String grant) {
    forget(grant);
    return true;
  }

  /** A peer that unmapped the memory still knows the key, and the device would let it in. */
  @Override
  public synchronized void forget(String grant) {
    keys.entrySet()
        .removeIf(each -> {
          boolean meant = each.getKey().grant.equals(grant);
          if (meant) {
            each.getValue().device.release(each.getValue().region);
          }
          return meant;
        });
  }

  @Override
  public synchronized void close() {
    closed = true;
    keys.values().forEach(each -> each.device.release(each.region));
    keys.clear();
    if (arena != null && arena.scope().isAlive()) {
      arena.close();
    }
  }
}
