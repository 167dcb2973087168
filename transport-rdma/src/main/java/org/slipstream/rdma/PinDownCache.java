package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
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
import org.slipstream.transport.LazyLogger;

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
 * <p>A buffer is found by its identity, and another view of memory that is known by its range and
 * which owner it belongs to ({@link Pin}, ADR 19). Memory is registered when it is seen for the
 * second time, by the event thread: programs that use a buffer once pay nothing, and no thread
 * waits. Memory of an arena that can be closed is left alone: nothing would keep the arena open
 * until the device has read it, and by then the pages may be another object's.
 *
 * <p>{@link #find} is called with the lock held; what {@link #find} asks for runs on the event
 * thread.
 */
@SuppressWarnings("restricted") // a range is registered while a buffer of it is held
final class PinDownCache implements PinBudget.Holder {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** Slots for buffers, and how many of them one may be in. */
  private static final int SLOTS = 256;

  private static final int WAYS = 4;

  /** So many are deregistered together, or so large a part of the limit. */
  static final int BATCH = 16;

  private static final int BATCH_PART = 4;

  /** Registers memory with the device; may sleep. */
  @FunctionalInterface
  interface Registrar {
    LocalMemory register(MemorySegment memory) throws IOException;
  }

  /** A buffer, as long as another object holds it. */
  final class Entry extends WeakReference<ByteBuffer> {
    private final Pin pin;
    private final long address;

    Entry(ByteBuffer buffer, long address, Pin pin) {
      super(buffer);
      this.address = address;
      this.pin = pin;
    }

    /** Where the byte with index 0 lies. */
    long address() {
      return address;
    }

    int localKey() {
      return pin.localKey();
    }

    /** A work request names it. */
    void usedBy(long request) {
      pin.lastRequest = request;
      zeroCopies++;
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
  private final PinTable pins = new PinTable();
  private final List<Pin> out = new ArrayList<>();
  private long pinnedBytes;
  private long outBytes;
  private boolean ended;
  private long registrations;
  private long batches;
  private long zeroCopies;

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
        if (entry.pin.state != Pin.State.OUT) {
          return use(entry);
        }
        place = slot;
        break;
      } else if (table[place] != null && entry.pin.lastUse < table[place].pin.lastUse) {
        place = slot;
      }
    }
    return see(buffer, place);
  }

  /** Once for each buffer, unless they are many: this allocates. */
  private @Nullable Entry see(ByteBuffer buffer, int place) {
    MemorySegment memory = MemorySegment.ofBuffer(buffer.duplicate().clear());
    Pin pin = pins.covering(memory);
    boolean again = pin != null;
    if (pin == null) {
      // The pages of a file may be exchanged while it is mapped.
      pin = new Pin(memory, memory.isMapped() ? Pin.Owner.ARENA : Pin.Owner.of(memory.scope()));
      if (!pin.isArena() && !keep(pin)) {
        return null;
      }
    }
    Entry made = new Entry(buffer, memory.address(), pin);
    table[place] = made;
    pin.lastUse = budget.tick();
    pin.seenThrough(made);
    return again ? use(made) : null;
  }

  private boolean keep(Pin pin) {
    Pin old = pins.oneTooMany();
    if (old != null) {
      remove(old);
    }
    return pins.add(pin);
  }

  private @Nullable Entry use(Entry entry) {
    Pin pin = entry.pin;
    pin.lastUse = budget.tick();
    pin.seenThrough(entry);
    if (pin.state == Pin.State.SEEN) {
      pin.state = Pin.State.ASKED;
      background.accept(() -> register(pin));
    }
    return pin.state == Pin.State.READY ? entry : null;
  }

  private void remove(Pin old) {
    pins.remove(old);
    old.state = Pin.State.OUT;
    if (old.region != null) {
      out.add(old);
      outBytes += old.bytes;
      if (out.size() >= batch || outBytes > budget.limitBytes() / BATCH_PART) {
        background.accept(this::deregister);
      }
    }
  }

  // -- event thread ----------------------------------------------------------------------------

  private void register(Pin pin) {
    removeAbandoned();
    ByteBuffer holder = holder(pin);
    if (holder == null || !makeRoom(pin.bytes)) {
      refuse(pin, 0);
      return;
    }
    try {
      MemorySegment memory = MemorySegment.ofAddress(pin.address).reinterpret(pin.bytes);
      accept(pin, registrar.register(memory));
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "A buffer of a program stays unregistered", e);
      refuse(pin, pin.bytes);
    } finally {
      Reference.reachabilityFence(holder);
    }
  }

  private @Nullable ByteBuffer holder(Pin pin) {
    lock.lock();
    try {
      return pin.anyView();
    } finally {
      lock.unlock();
    }
  }

  /** What can be used no more does not stay pinned until there is no room. */
  private void removeAbandoned() {
    lock.lock();
    try {
      pins.abandoned().forEach(this::remove);
    } finally {
      lock.unlock();
    }
  }

  private void accept(Pin pin, LocalMemory region) {
    lock.lock();
    try {
      if (!ended) {
        pin.region = region;
        pin.state = Pin.State.READY;
        registrations++;
        return;
      }
    } finally {
      lock.unlock();
    }
    region.close();
    release(pin.bytes);
  }

  private void refuse(Pin pin, long reserved) {
    release(reserved);
    lock.lock();
    try {
      pin.state = Pin.State.REFUSED;
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
      if (!out.isEmpty()) {
        return 0;
      }
      Pin pin = pins.oldest();
      return pin == null ? Long.MAX_VALUE : pin.use();
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
    Pin pin = pins.oldest();
    if (pin != null) {
      remove(pin);
    }
    return pin != null;
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

  private List<Pin> takeDone() {
    lock.lock();
    try {
      List<Pin> done = new ArrayList<>();
      for (Pin pin : out) {
        if (isDone.test(pin.lastRequest)) {
          done.add(pin);
          outBytes -= pin.bytes;
        }
      }
      out.removeAll(done);
      batches += done.isEmpty() ? 0 : 1;
      return done;
    } finally {
      lock.unlock();
    }
  }

  private long closeAll(List<Pin> done) {
    long bytes = 0;
    for (Pin pin : done) {
      if (pin.region != null) {
        pin.region.close();
        bytes += pin.bytes;
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

  /** How many writes travelled from where the program has them. */
  long zeroCopies() {
    return zeroCopies;
  }

  /** How often buffers were deregistered together. */
  long batches() {
    return batches;
  }

  /** The queue pair is gone: nothing is registered any more. Event thread. */
  void end() {
    closing.lock();
    try {
      List<Pin> rest;
      lock.lock();
      try {
        ended = true;
        pins.all().forEach(this::remove);
        rest = List.copyOf(out);
        out.clear();
        outBytes = 0;
      } finally {
        lock.unlock();
      }
      closeAll(rest);
    } finally {
      closing.unlock();
    }
    budget.leave(this);
  }
}
