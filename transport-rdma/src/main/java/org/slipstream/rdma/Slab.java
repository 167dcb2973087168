package org.slipstream.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.Reservation;
import org.slipstream.transport.slab.Slots;

/**
 * Registered memory of one session, in slots of a control block, a shadow block and a ring. Its
 * keys are good for this session only, and end with it.
 *
 * <pre>
 *   0           256         512         768       ...      controls          + ringBytes
 *   +-----------+-----------+-----------+-----------+-- - -+-----------------+-- - - - -
 *   | control 0 | shadow 0  | control 1 | shadow 1  |      | ring 0          | ring 1
 *   +-----------+-----------+-----------+-----------+-- - -+-----------------+-- - - - -
 * </pre>
 *
 * The shadow block has the shape of a control block. In a window it has the owner's <em>shadow
 * words</em>: copies of the words that it publishes, which the peer reads before it sleeps. In a
 * staging slab it is where the peer's shadow words are read to.
 *
 * <p>Safe for any thread.
 */
final class Slab {

  private static final int SLOT_BYTES = 2 * ControlLayout.BYTES;

  private static final int PAGE = 4096;

  private final Arena arena;
  private final MemorySegment memory;
  private final RemoteMemory region;
  private final int count;
  private final int ringBytes;
  private final long controls;
  private final Slots slots;

  /** Guarded by this, as is {@link #ended}. */
  private final Deque<Retired> retired = new ArrayDeque<>();

  private boolean ended;

  /**
   * How often a slot was taken, and how often it had been at the last look of {@link #isUnused}.
   */
  private long taken;

  private long takenAtLook;

  /** When it was first seen without a use since then. */
  private long unusedSince;

  /** A slot that the device may still read from, until a request is done. */
  private record Retired(int slot, SendQueue queue, long until) {}

  /** Registers memory with the device. */
  @FunctionalInterface
  interface Registrar {
    RemoteMemory register(MemorySegment memory) throws IOException;
  }

  /**
   * Makes a slab; takes about a millisecond for each few megabytes, because the kernel pins pages.
   *
   * @param count how many slots
   * @param ringBytes of each
   * @param registrar registers it
   * @param budget pays for it
   * @throws IOException over budget, or over RLIMIT_MEMLOCK
   */
  Slab(int count, int ringBytes, Registrar registrar, MemoryBudget budget) throws IOException {
    this.count = count;
    this.ringBytes = ringBytes;
    this.controls = controlBytes(count);
    long bytes = bytes(count, ringBytes);
    Reservation reservation = new Reservation(budget);
    reservation.add(bytes);
    arena = Arena.ofShared();
    try {
      memory = arena.allocate(bytes, PAGE);
      region = registrar.register(memory);
      slots =
          new Slots(
              count,
              () -> {
                reservation.release();
                arena.close();
              });
    } catch (IOException | OutOfMemoryError e) {
      reservation.release();
      arena.close();
      throw new IOException("No registered memory: " + e.getMessage(), e);
    }
  }

  private static long controlBytes(int count) {
    return ((long) count * SLOT_BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /** What is registered for a slab; rings are whole pages. */
  static long bytes(int count, int ringBytes) {
    return controlBytes(count) + (long) count * ringBytes;
  }

  int ringBytes() {
    return ringBytes;
  }

  RemoteMemory region() {
    return region;
  }

  MemorySegment control(int slot) {
    return memory.asSlice((long) slot * SLOT_BYTES, ControlLayout.BYTES);
  }

  MemorySegment shadow(int slot) {
    return memory.asSlice((long) slot * SLOT_BYTES + ControlLayout.BYTES, ControlLayout.BYTES);
  }

  MemorySegment ring(int slot) {
    return memory.asSlice(controls + (long) slot * ringBytes, ringBytes);
  }

  long bytes() {
    return memory.byteSize();
  }

  int count() {
    return count;
  }

  /** How many streams have a slot. */
  int inUse() {
    return slots.inUse();
  }

  /** Takes a slot, its control block and its shadow block zero; -1 if there is none. */
  int take() {
    reuseRetired();
    int slot = slots.take();
    if (slot >= 0) {
      noteTaken();
      control(slot).fill((byte) 0);
      shadow(slot).fill((byte) 0);
    }
    return slot;
  }

  private synchronized void noteTaken() {
    taken++;
  }

  /**
   * Whether all slots have been free, and no request could name one, at each look for so long; a
   * slot that was taken in between counts as a use. A slot in quarantine is never free again.
   *
   * @param nanos how long
   * @param now {@link System#nanoTime}
   */
  synchronized boolean isUnused(long nanos, long now) {
    reuseRetired();
    if (slots.free().cardinality() < count || taken != takenAtLook) {
      takenAtLook = taken;
      unusedSince = now;
      return false;
    }
    return now - unusedSince >= nanos;
  }

  private synchronized void reuseRetired() {
    Retired oldest;
    while ((oldest = retired.peek()) != null && oldest.queue.isDone(oldest.until)) {
      slots.reuse(retired.remove().slot);
    }
  }

  void giveBack(int slot, boolean reusable) {
    slots.giveBack(slot, reusable);
  }

  /** Takes a slot back that requests may still name. With the queue's lock held. */
  void retire(int slot, SendQueue queue) {
    synchronized (this) {
      retired.add(new Retired(slot, queue, queue.lastPosted()));
    }
    slots.giveBack(slot, false);
  }

  /**
   * No peer writes any more: the queue pair is gone, or the slab was {@linkplain #isUnused unused}
   * for long. The memory stays while it is read.
   */
  void end() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    region.close();
    slots.end();
  }
}
