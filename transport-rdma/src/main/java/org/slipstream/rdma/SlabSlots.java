package org.slipstream.rdma;

/**
 * How many windows the next slab of a session has, and of which size. The first slab has one window
 * with half a ring: a process may lock little memory, a server may have a thousand peers, and most
 * sessions have one stream, which a ring of a few packets keeps busy. Each further slab has twice
 * as many windows, up to a limit, as registering takes its time and keys are scarce in some
 * devices. Once memory was refused slabs get smaller instead, down to one window.
 */
final class SlabSlots {

  /** Bytes of rings in a second slab, unless one ring has more. */
  private static final int SECOND_BYTES = 512 * 1024;

  /** A ring is not halved below this. */
  private static final int LEAST_RING_BYTES = 64 * 1024;

  static final int MOST = 16;

  private int made;
  private int last;
  private int most = MOST;

  /** Returns how many windows to ask for, at least one. */
  int next(int ringBytes) {
    int wanted =
        switch (made) {
          case 0 -> 1;
          case 1 -> SECOND_BYTES / ringBytes;
          default -> 2 * last;
        };
    return Math.clamp(wanted, 1, most);
  }

  /**
   * Returns the size of the rings of the next slab of windows, if later ones have so many bytes.
   */
  int nextRing(int ringBytes) {
    return made == 0 ? Math.max(ringBytes / 2, Math.min(ringBytes, LEAST_RING_BYTES)) : ringBytes;
  }

  /** A slab was made. */
  void made(int slots) {
    last = slots;
    made++;
  }

  /** A slab was refused. Returns whether a smaller one may be tried. */
  boolean refused(int slots) {
    most = Math.max(1, slots / 2);
    return slots > 1;
  }
}
