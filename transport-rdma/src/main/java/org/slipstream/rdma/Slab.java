package org.slipstream.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryBudget;

/**
 * Registered memory of one session, in slots of a control block, a mirror and a ring. Its keys are
 * good for this session only, and end with it.
 *
 * <pre>
 *   0           256         512         768       ...      controls          + ringBytes
 *   +-----------+-----------+-----------+-----------+-- - -+-----------------+-- - - - -
 *   | control 0 | mirror 0  | control 1 | mirror 1  |      | ring 0          | ring 1
 *   +-----------+-----------+-----------+-----------+-- - -+-----------------+-- - - - -
 * </pre>
 *
 * The mirror has the shape of a control block. In a window it is where the owner <em>shows</em> the
 * words that it publishes, for the peer to read; in a staging slab it is where what the peer shows
 * is read to.
 *
 * <p>Safe for any thread.
 */
final class Slab {

  private static final int SLOT_BYTES = 2 * ControlLayout.BYTES;

  private static final int PAGE = 4096;

  private final MemoryBudget budget;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final RemoteMemory region;
  private final int ringBytes;
  private final long controls;
  private final long reserved;
  private final Deque<Integer> free = new ArrayDeque<>();
  private final Deque<Retired> retired = new ArrayDeque<>();
  private int inUse;
  private boolean ended;

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
   * @param slots how many
   * @param ringBytes of each
   * @param registrar registers it
   * @param budget pays for it
   * @throws IOException over budget, or over RLIMIT_MEMLOCK
   */
  Slab(int slots, int ringBytes, Registrar registrar, MemoryBudget budget) throws IOException {
    this.budget = budget;
    this.ringBytes = ringBytes;
    this.controls = ((long) slots * SLOT_BYTES + PAGE - 1) / PAGE * PAGE;
    this.reserved = controls + (long) slots * ringBytes;
    if (!budget.tryReserve(reserved)) {
      arena.close();
      throw new IOException("slipstream.memory.limit is reached");
    }
    try {
      memory = arena.allocate(reserved, PAGE);
      region = registrar.register(memory);
    } catch (IOException | OutOfMemoryError e) {
      arena.close();
      budget.release(reserved);
      throw new IOException("No registered memory: " + e.getMessage(), e);
    }
    for (int slot = slots - 1; slot >= 0; slot--) {
      free.push(slot);
    }
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

  MemorySegment mirror(int slot) {
    return memory.asSlice((long) slot * SLOT_BYTES + ControlLayout.BYTES, ControlLayout.BYTES);
  }

  MemorySegment ring(int slot) {
    return memory.asSlice(controls + (long) slot * ringBytes, ringBytes);
  }

  /** How many streams have a slot. */
  synchronized int inUse() {
    return inUse;
  }

  /** Takes a slot, its control block and its mirror zero. */
  synchronized @Nullable Integer take() {
    Retired oldest;
    while ((oldest = retired.peek()) != null && oldest.queue.isDone(oldest.until)) {
      free.push(retired.remove().slot);
    }
    Integer slot = ended ? null : free.poll();
    if (slot != null) {
      inUse++;
      control(slot).fill((byte) 0);
      mirror(slot).fill((byte) 0);
    }
    return slot;
  }

  synchronized void giveBack(int slot, boolean reusable) {
    inUse--;
    if (reusable) {
      free.push(slot);
    }
    closeIfDone();
  }

  /** Takes a slot back that requests may still name. With the queue's lock held. */
  synchronized void retire(int slot, SendQueue queue) {
    inUse--;
    retired.add(new Retired(slot, queue, queue.lastPosted()));
    closeIfDone();
  }

  /** The queue pair is gone: nobody writes any more. The memory stays while it is read. */
  synchronized void sessionEnded() {
    if (!ended) {
      ended = true;
      region.close();
      closeIfDone();
    }
  }

  private void closeIfDone() {
    if (ended && inUse == 0 && arena.scope().isAlive()) {
      arena.close();
      budget.release(reserved);
    }
  }
}
