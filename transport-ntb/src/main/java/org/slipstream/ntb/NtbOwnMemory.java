package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/**
 * One-sided memory of this process: peers name it by a key for each grant and session, and the
 * service thread, which carries out what they ask for, checks it. Safe for any thread.
 */
final class NtbOwnMemory implements OwnMemory {
  private record Key(NtbSession session, String grant) {}

  private record Given(long key, GrantedMemory memory) {}

  private final MemorySegment memory;

  /** Of memory that was allocated here; null if another transport has. */
  private final @Nullable Arena arena;

  /** Guarded by this. */
  private final Map<Key, Given> given = new HashMap<>();

  private boolean closed;

  NtbOwnMemory(MemorySegment memory, @Nullable Arena arena) {
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
    if (closed || !(to instanceof NtbSession session) || !session.isOpen()) {
      throw new IOException("There is no such memory");
    }
    revoke(each -> !each.session.isOpen());
    Key key = new Key(session, grant);
    Given its = given.get(key);
    if (its == null) {
      GrantedMemory granted = new GrantedMemory(memory, access);
      its = new Given(session.lanes().grants().add(granted), granted);
      given.put(key, its);
    }
    session.lanes().use();
    NtbPeerMemory.describe(its.key, out);
  }

  @Override
  public boolean revoke(Session from, String grant) {
    revoke(each -> each.grant.equals(grant)); // of other mappings with it, too: they end as well
    return true;
  }

  @Override
  public void forget(String grant) {
    revoke(each -> each.grant.equals(grant)); // of mappings that have ended, too
  }

  private synchronized void revoke(Predicate<Key> which) {
    given
        .entrySet()
        .removeIf(each -> {
          boolean meant = which.test(each.getKey());
          if (meant) {
            each.getValue().memory.revoke();
            each.getKey().session.lanes().grants().remove(each.getValue().key);
          }
          return meant;
        });
  }

  @Override
  public synchronized void close() {
    closed = true;
    revoke(each -> true);
    if (arena != null && arena.scope().isAlive()) {
      arena.close();
    }
  }
}
