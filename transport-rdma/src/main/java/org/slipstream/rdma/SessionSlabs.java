package org.slipstream.rdma;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.SlabSlots;

/**
 * The registered memory of one session: slabs of windows, into which the peer writes, and slabs of
 * staging copies, from which the device writes into the peer's windows.
 *
 * <p>Safe for any thread.
 */
final class SessionSlabs {
  /** Windows of a slab: registering takes its time, and keys are scarce in some devices. */
  static final int MOST_SLOTS = 16;

  /**
   * A slab without a stream for so long is given back. Requests of the peer that still name a
   * closed window are over long before: a device that completes nothing is given up sooner.
   */
  static final long UNUSED_NS = 2 * SendQueue.STALL_NS;

  /**
   * A slot of a slab, taken.
   *
   * @param slab it lies there
   * @param slot its number
   */
  record Place(Slab slab, int slot) {}

  private final int usualRing;
  private final MemoryBudget budget;
  private final PinBudget pins;
  private final FirstRings firstRings;
  private final Slab.Registrar windowRegistrar;
  private final Slab.Registrar stagingRegistrar;

  /** Guarded by this, as is the rest. */
  private final List<Slab> windows = new ArrayList<>();

  private final SlabSlots windowSlots = new SlabSlots(MOST_SLOTS);
  private final List<Slab> staging = new ArrayList<>();
  private final SlabSlots stagingSlots = new SlabSlots(MOST_SLOTS);

  /** From {@link #firstRings}, if there is a first slab of windows. */
  private int firstRing;

  private boolean ended;

  /**
   * Without a slab.
   *
   * @param usualRing bytes of a ring, but for the first
   * @param budget pays for all
   * @param pins gives way
   * @param firstRings of the process
   * @param windowRegistrar registers memory into which the peer writes
   * @param stagingRegistrar registers memory from which this end writes, and into which it reads
   */
  SessionSlabs(
      int usualRing,
      MemoryBudget budget,
      PinBudget pins,
      FirstRings firstRings,
      Slab.Registrar windowRegistrar,
      Slab.Registrar stagingRegistrar) {
    this.usualRing = usualRing;
    this.budget = budget;
    this.pins = pins;
    this.firstRings = firstRings;
    this.windowRegistrar = windowRegistrar;
    this.stagingRegistrar = stagingRegistrar;
  }

  /**
   * A place for a receive window.
   *
   * @throws IOException over budget, over RLIMIT_MEMLOCK, or ended
   */
  synchronized Place takeWindow() throws IOException {
    for (Slab slab : windows) {
      int slot = slab.take();
      if (slot >= 0) {
        return new Place(slab, slot);
      }
    }
    Slab slab = windows.isEmpty() ? firstWindows() : newWindows();
    windows.add(slab);
    return new Place(slab, firstSlot(slab));
  }

  /** One window, which more memory may be spent on than on later ones. */
  private Slab firstWindows() throws IOException {
    if (firstRing == 0) { // else there was no memory for what follows, and it was kept
      firstRing = firstRings.take();
    }
    if (firstRing > usualRing) {
      try {
        Slab slab = newSlab(1, windowSlots.nextRing(firstRing), windowRegistrar);
        windowSlots.made(1);
        return slab;
      } catch (IOException e) {
        giveFirstRingBack(); // so much memory is not to be had: as in any other session
      }
    }
    return newWindows();
  }

  private Slab newWindows() throws IOException {
    return newSlab(windowSlots, windowSlots.nextRing(usualRing), windowRegistrar);
  }

  private void giveFirstRingBack() {
    firstRings.giveBack(firstRing);
    firstRing = 0;
  }

  /**
   * A place for the copy of a window of the peer.
   *
   * @param ringBytes of that window
   * @throws IOException as {@link #takeWindow}
   */
  synchronized Place takeStaging(int ringBytes) throws IOException {
    for (Slab slab : staging) {
      int slot = slab.ringBytes() == ringBytes ? slab.take() : -1;
      if (slot >= 0) {
        return new Place(slab, slot);
      }
    }
    Slab slab = newSlab(stagingSlots, ringBytes, stagingRegistrar);
    staging.add(slab);
    return new Place(slab, firstSlot(slab));
  }

  private Slab newSlab(SlabSlots sizes, int ringBytes, Slab.Registrar registrar)
      throws IOException {
    for (; ; ) {
      int slots = sizes.next(ringBytes);
      try {
        Slab slab = newSlab(slots, ringBytes, registrar);
        sizes.made(slots);
        return slab;
      } catch (IOException e) {
        if (!sizes.refused(slots)) {
          throw e;
        }
      }
    }
  }

  private Slab newSlab(int slots, int ringBytes, Slab.Registrar registrar) throws IOException {
    if (ended) {
      throw new IOException("the session is over");
    }
    return new Slab(
        slots, ringBytes, memory -> pins.orGiveWay(() -> registrar.register(memory)), budget);
  }

  private static int firstSlot(Slab slab) throws IOException {
    int slot = slab.take();
    if (slot < 0) {
      throw new IOException("a new slab has no slots");
    }
    return slot;
  }

  /** How many streams have a window. */
  synchronized int windowsInUse() {
    return windows.stream().mapToInt(Slab::inUse).sum();
  }

  /** Bytes that are registered. */
  synchronized long bytes() {
    return bytes(windows) + bytes(staging);
  }

  private static long bytes(List<Slab> slabs) {
    return slabs.stream().mapToLong(Slab::bytes).sum();
  }

  /**
   * Gives back what many streams have left, but for the first slabs, which an idle peer has. Event
   * thread: the others find no slab here that is about to go, and do not wait for the device.
   *
   * @param now {@link System#nanoTime}
   */
  void trim(long now) {
    List<Slab> unused = new ArrayList<>();
    synchronized (this) {
      if (!ended) {
        trim(windows, windowSlots, now, unused);
        trim(staging, stagingSlots, now, unused);
      }
    }
    unused.forEach(Slab::end);
  }

  private static void trim(List<Slab> slabs, SlabSlots sizes, long now, List<Slab> unused) {
    for (int i = slabs.size() - 1; i > 0; i--) {
      Slab slab = slabs.get(i);
      if (slab.isUnused(UNUSED_NS, now)) {
        unused.add(slabs.remove(i));
        sizes.gone(slab.count());
      }
    }
  }

  /** No peer writes any more, and no place is taken any more. */
  synchronized void end() {
    ended = true;
    windows.forEach(Slab::end);
    staging.forEach(Slab::end);
    giveFirstRingBack();
  }
}
