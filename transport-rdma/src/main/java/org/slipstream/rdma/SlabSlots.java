package org.slipstream.rdma;

/**
 * How many windows the next slab of a session has. The first slab is small: a process may lock
 * little memory, and most sessions have few streams. Each further one is twice as large, up to a
 * limit, as registering takes its time and keys are scarce in some devices. Once memory was refused
 * slabs get smaller instead, down to one window.
 */
final class SlabSlots {

  /** Bytes of the rings of a first slab, unless one ring has more. */
  static final int FIRST_BYTES = 1 << 20;

  static final int MOST = 16;

  private int last;
  private int most = MOST;

  /** Returns how many windows to ask for, at least one. */
  int next(int ringBytes) {
    int wanted = last == 0 ? FIRST_BYTES / ringBytes : 2 * last;
    return Math.clamp(wanted, 1, most);
  }

  /** A slab was made. */
  void made(int slots) {
    last = slots;
  }

  /** A slab was refused. Returns whether a smaller one may be tried. */
  boolean refused(int slots) {
    most = Math.max(1, slots / 2);
    return slots > 1;
  }
}
