package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.LocalMemory;

/**
 * Direct buffers of programs that are registered with the device, so that large writes need no copy
 * before they travel. Two levels, after Wu, Wyckoff and Panda ("PVFS over InfiniBand"):
 *
 * <ul>
 *   <li>registrations are kept and found again, least recently used out first, within a limit of
 *       pinned bytes that all sessions share;
 *   <li>those that are out are deregistered later and together, in the background.
 * </ul>
 *
 * <p>A buffer is found by its identity and not by its address: memory that was freed and given to
 * another buffer has the old address but other pages. It is registered when it is seen for the
 * second time, by the event thread: programs that use a buffer once pay nothing, and nobody waits.
 * Memory of an arena that can be closed is left alone: nothing would keep the arena open until the
 * device has read it, and by then the pages may be another object's.
 *
 * <p>{@link #find} is called with the lock held; what {@link #find} asks for runs on the event
 * thread.
 */
final class PinDownCache implements PinBudget.Holder {
  private static final System.Logger LOG = System.getLogger("org.slipstream.rdma");

  /** Slots of the table, and how many of them a buffer may be in. */
  private static final int SLOTS = 256;

  private static final int WAYS = 4;

  /** So many are deregistered together, or so large a part of the limit. */
  static final int BATCH = 16;

  private static final int BATCH_PART = 4;

  /** What the memory of buffers belongs to that is there as long as they are. */
  private static final Class<?> PERMANENT = Arena.global().scope().getClass();

  /** Registers memory with the device; may sleep. */
  @FunctionalInterface
  interface Registrar {
    LocalMemory register(MemorySegment memory) throws IOException;
  }

  /** What is known of a buffer. */
  private enum State {
    SEEN,
    ASKED,
    READY,
    REFUSED
  }

  /** A buffer, as long as somebody else holds it. */
  static final class Entry extends WeakReference<ByteBuffer> {
    private final long bytes;
    private State state = State.SEEN;
    private @Nullable LocalMemory region;
    private long address;
    private long lastUse;
    private long lastRequest;

    Entry(ByteBuffer buffer) {
      super(buffer);
      this.bytes = buffer.capacity();
    }

    /** Where the byte with index 0 lies. */
    long address() {
      return address;
    }

    int localKey() {
      LocalMemory r = region;
      return r == null ? 0 : r.localKey();
    }

    /** A work request names it. */
    void usedBy(long request) {
      lastRequest = request;
    }
  }

  private final Lock lock;
  private final Registrar registrar;
  private final Consumer<Runnable> background;
  private final LongPredicate isDone;
  private final PinBudget budget;
  private final int batch;

  /** Held while regions are closed, so that {@link #end} is the last to close one. */
  private final Lock closing = new ReentrantLock();

  // Guarded by the lock.
  private final @Nullable Entry[] table = new Entry[SLOTS];
  private final List<Entry> out = new ArrayList<>();
  private long pinnedBytes;
  private long outBytes;
  private boolean ended;
  private long registrations;
  private long batches;

  /**
   * Makes an empty one with a limit of its own.
   *
   * @param lock of the send queue
   * @param registrar registers memory
   * @param background runs what may sleep, later
   * @param isDone whether a work request has completed
   * @param limitBytes pinned at most
   * @param batch so many are deregistered together
   */
  PinDownCache(
      Lock lock,
      Registrar registrar,
      Consumer<Runnable> background,
      LongPredicate isDone,
      long limitBytes,
      int batch) {
    this(lock, registrar, background, isDone, new PinBudget(limitBytes), batch);
  }

  /** As the other one, with a budget that others use too. */
  PinDownCache(
      Lock lock,
      Registrar registrar,
      Consumer<Runnable> background,
      LongPredicate isDone,
      PinBudget budget,
      int batch) {
    this.lock = lock;
    this.registrar = registrar;
    this.background = background;
    this.isDone = isDone;
    this.budget = budget;
    this.batch = batch;
    budget.join(this);
  }

  /** Returns the entry of a buffer that is registered; null if it is not, or not yet. */
  @Nullable Entry find(ByteBuffer buffer) {
    if (ended || buffer.capacity() > budget.limitBytes()) {
      return null;
    }
    int first = System.identityHashCode(buffer) & SLOTS - 1;
    int place = first;
    for (int way = 0; way < WAYS; way++) {
      int slot = first + way & SLOTS - 1;
      Entry entry = table[slot];
      if (entry == null) {
        place = slot;
      } else if (entry.refersTo(buffer)) {
        return use(entry);
      } else if (table[place] != null && entry.lastUse < table[place].lastUse) {
        place = slot;
      }
    }
    Entry old = table[place];
    if (old != null && old.state == State.ASKED) {
      return null; // its registration is under way
    }
    remove(place);
    Entry made = new Entry(buffer); // once for each buffer, unless they are many
    made.lastUse = budget.tick();
    table[place] = made;
    return null;
  }

  private @Nullable Entry use(Entry entry) {
    entry.lastUse = budget.tick();
    if (entry.state == State.SEEN) {
      entry.state = State.ASKED;
      background.accept(() -> register(entry));
    }
    return entry.state == State.READY ? entry : null;
  }

  private void remove(int slot) {
    Entry old = table[slot];
    table[slot] = null;
    if (old != null && old.region != null) {
      out.add(old);
      outBytes += old.bytes;
      if (out.size() >= batch || outBytes > budget.limitBytes() / BATCH_PART) {
        background.accept(this::deregister);
      }
    }
  }

  // -- event thread ----------------------------------------------------------------------------

  private void register(Entry entry) {
    ByteBuffer buffer = entry.get();
    if (buffer == null || !makeRoom(entry.bytes)) {
      refuse(entry, 0);
      return;
    }
    try {
      MemorySegment memory = MemorySegment.ofBuffer(buffer.duplicate().clear());
      if (!PERMANENT.isInstance(memory.scope())) {
        refuse(entry, entry.bytes);
        return;
      }
      LocalMemory region = registrar.register(memory);
      accept(entry, region, memory.address());
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "A buffer of a program stays unregistered", e);
      refuse(entry, entry.bytes);
    }
  }

  private void accept(Entry entry, LocalMemory region, long address) {
    lock.lock();
    try {
      if (!ended) {
        entry.region = region;
        entry.address = address;
        entry.state = State.READY;
        registrations++;
        return;
      }
    } finally {
      lock.unlock();
    }
    region.close();
    release(entry.bytes);
  }

  private void refuse(Entry entry, long reserved) {
    release(reserved);
    lock.lock();
    try {
      entry.state = State.REFUSED;
    } finally {
      lock.unlock();
    }
  }

  private void release(long bytes) {
    budget.release(bytes);
    lock.lock();
    try {
      pinnedBytes -= bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Reserves pinned bytes, for which others may have to go, here or in another session. */
  private boolean makeRoom(long bytes) {
    while (!budget.tryReserve(bytes)) {
      if (isEnded() || budget.evict() == 0) {
        return false; // there is no protection domain any more, or the device uses all of them
      }
    }
    lock.lock();
    try {
      pinnedBytes += bytes;
    } finally {
      lock.unlock();
    }
    if (isEnded()) {
      release(bytes);
      return false;
    }
    return true;
  }

  private boolean isEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  // -- what gives way; any thread without a lock -------------------------------------------------

  @Override
  public long oldestUse() {
    lock.lock();
    try {
      int slot = out.isEmpty() ? oldest() : -1;
      return !out.isEmpty() ? 0 : slot < 0 ? Long.MAX_VALUE : useOf(table[slot]);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long letSomeGo() {
    lock.lock();
    try {
      if (out.isEmpty()) {
        removeSome();
      }
    } finally {
      lock.unlock();
    }
    return deregister();
  }

  @Override
  public long letAllGo() {
    lock.lock();
    try {
      while (removeOldest()) {}
    } finally {
      lock.unlock();
    }
    return deregister();
  }

  /** The oldest, and some more: the next ones find room at once. */
  private void removeSome() {
    while (out.size() < batch && outBytes <= budget.limitBytes() / BATCH_PART && removeOldest()) {}
  }

  private boolean removeOldest() {
    int slot = oldest();
    if (slot >= 0) {
      remove(slot);
    }
    return slot >= 0;
  }

  /** Its slot; -1 if none is registered. */
  private int oldest() {
    int slot = -1;
    for (int i = 0; i < SLOTS; i++) {
      Entry e = table[i];
      if (e != null && e.state == State.READY && (slot < 0 || useOf(e) < useOf(table[slot]))) {
        slot = i;
      }
    }
    return slot;
  }

  /** Before all others if nobody holds the buffer any more. */
  private static long useOf(@Nullable Entry entry) {
    return entry == null || entry.refersTo(null) ? 0 : entry.lastUse;
  }

  /** Returns how many bytes are not pinned any more. */
  private long deregister() {
    closing.lock();
    try {
      return closeAll(takeDone());
    } finally {
      closing.unlock();
    }
  }

  private List<Entry> takeDone() {
    lock.lock();
    try {
      List<Entry> done = new ArrayList<>();
      for (Entry entry : out) {
        if (isDone.test(entry.lastRequest)) {
          done.add(entry);
          outBytes -= entry.bytes;
        }
      }
      out.removeAll(done);
      batches += done.isEmpty() ? 0 : 1;
      return done;
    } finally {
      lock.unlock();
    }
  }

  private long closeAll(List<Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      if (entry.region != null) {
        entry.region.close();
        bytes += entry.bytes;
      }
    }
    release(bytes);
    return bytes;
  }

  /** Bytes that are pinned now. */
  long pinnedBytes() {
    return pinnedBytes;
  }

  /** How often a buffer was registered. */
  long registrations() {
    return registrations;
  }

  /** How often buffers were deregistered together. */
  long batches() {
    return batches;
  }

  /** The queue pair is gone: nothing is registered any more. Event thread. */
  void end() {
    closing.lock();
    try {
      List<Entry> entries;
      lock.lock();
      try {
        ended = true;
        for (int i = 0; i < SLOTS; i++) {
          remove(i);
        }
        entries = List.copyOf(out);
        out.clear();
        outBytes = 0;
      } finally {
        lock.unlock();
      }
      closeAll(entries);
    } finally {
      closing.unlock();
    }
    budget.leave(this);
  }
}
