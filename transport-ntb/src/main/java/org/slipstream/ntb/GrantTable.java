package org.slipstream.ntb;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What the peer of one session was granted, by keys: {@code generation << 32 | place}. A place is
 * used again, a key is not. Adding and removing are any thread's; {@link #find} takes no lock and
 * allocates nothing.
 */
final class GrantTable {
  /** As many as a peer may have mappings. */
  private static final int MOST = 1 << 16;

  private record Entry(long key, GrantedMemory memory) {}

  /** Replaced when it grows; its elements change under the monitor. */
  private volatile @Nullable Entry[] entries = new Entry[8];

  /** Guarded by this. */
  private final Deque<Integer> free = new ArrayDeque<>();

  private int used;
  private int generation;

  /**
   * Adds a grant.
   *
   * @return its key
   * @throws IOException if there are too many
   */
  synchronized long add(GrantedMemory memory) throws IOException {
    Integer known = free.poll();
    int place = known == null ? used : known;
    if (place >= MOST) {
      throw new IOException("the peer has too many mappings");
    }
    @Nullable Entry[] now = entries;
    if (place == now.length) {
      now = Arrays.copyOf(now, 2 * place);
    }
    used = Math.max(used, place + 1);
    generation++;
    long key = (long) generation << Integer.SIZE | place;
    now[place] = new Entry(key, memory);
    entries = now;
    return key;
  }

  /** The grant is over; its memory has been revoked. */
  synchronized void remove(long key) {
    int place = (int) key;
    @Nullable Entry[] now = entries;
    if (find(key) != null) {
      now[place] = null;
      entries = now;
      free.add(place);
    }
  }

  /** Null if there is no such grant any more, or never was. */
  @Nullable GrantedMemory find(long key) {
    int place = (int) key;
    @Nullable Entry[] now = entries;
    Entry entry = place < 0 || place >= now.length ? null : now[place];
    return entry == null || entry.key != key ? null : entry.memory;
  }

  synchronized boolean isEmpty() {
    return used == free.size();
  }
}
