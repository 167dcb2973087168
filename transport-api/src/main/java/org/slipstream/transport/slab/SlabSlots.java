package org.slipstream.transport.slab;

/**
 * How many windows the next slab of a session has, and of which size, where memory is there from
 * the start. The first slab has one window with half a ring: a process may lock little memory, or
 * map little of a board, a server may have a thousand peers, and most sessions have one stream,
 * which a ring of a few packets keeps busy. Each further slab has twice as many windows, up to a
 * limit, as making one takes its time and keys or segments are scarce. Once memory was refused
 * slabs get smaller instead, down to one window. One thread at a time.
 */
public final class SlabSlots {

  /** Bytes of rings in a second slab, unless one ring has more. */
  private static final int SECOND_BYTES = 512 * 1024;

  /** A ring is not halved below this. */
  private static final int LEAST_RING_BYTES = 64 * 1024;

  private int made;
  private int last;
  private int most;

  /**
   * No slab was made yet.
   *
   * @param most windows of a slab at most
   */
  public SlabSlots(int most) {
    this.most = most;
  }

  /**
   * How many windows to ask for.
   *
   * @param ringBytes of each
   * @return at least one
   */
  public int next(int ringBytes) {
    int wanted =
        switch (made) {
          case 0 -> 1;
          case 1 -> SECOND_BYTES / ringBytes;
          default -> 2 * last;
        };
    return Math.clamp(wanted, 1, most);
  }

  /**
   * The size of the rings of the next slab.
   *
   * @param ringBytes of later ones
   * @return bytes
   */
  public int nextRing(int ringBytes) {
    return made == 0 ? Math.max(ringBytes / 2, Math.min(ringBytes, LEAST_RING_BYTES)) : ringBytes;
  }

  /**
   * A slab was made.
   *
   * @param slots its windows
   */
  public void made(int slots) {
    last = slots;
    made++;
  }

  /**
   * A slab was given back: the next one is as large as it was, and not larger.
   *
   * @param slots its windows
   */
  public void gone(int slots) {
    last = Math.min(last, Math.max(1, slots / 2));
  }

  /**
   * A slab was refused.
   *
   * @param slots its windows
   * @return whether a smaller one may be tried
   */
  public boolean refused(int slots) {
    most = Math.max(1, slots / 2);
    return slots > 1;
  }
}
