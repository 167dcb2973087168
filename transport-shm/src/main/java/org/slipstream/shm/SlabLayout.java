package org.slipstream.shm;

import org.slipstream.transport.ControlLayout;

/**
 * The file that holds many windows of one session: the only truth about its offsets.
 *
 * <pre>
 *   0                256              ...        controlBytes                 + ringBytes
 *   +----------------+----------------+-- - - ---+----------------------------+-- - - - -
 *   | control slot 0 | control slot 1 |          | ring slot 0                | ring slot 1
 *   +----------------+----------------+-- - - ---+----------------------------+-- - - - -
 *    storage from the start                       storage as far as it is granted
 * </pre>
 *
 * <p>Control blocks stand together, 16 to a page, so that an idle link costs a fraction of a page.
 *
 * @param slots windows in the slab
 * @param ringBytes size of each ring, a power of two, at least a page
 */
record SlabLayout(int slots, int ringBytes) {

  private static final int PAGE = 4096;
  private static final int MIN_RING_BYTES = 16 * 1024;
  private static final int MAX_RING_BYTES = 64 * 1024 * 1024;
  private static final int MAX_SLOTS = 1024;

  /** Whether a peer's numbers can be a slab at all. */
  boolean isValid() {
    return slots > 0
        && slots <= MAX_SLOTS
        && ringBytes >= MIN_RING_BYTES
        && ringBytes <= MAX_RING_BYTES
        && Integer.bitCount(ringBytes) == 1;
  }

  long controlBytes() {
    return (slots * (long) ControlLayout.BYTES + PAGE - 1) / PAGE * PAGE;
  }

  long controlOffset(int slot) {
    return slot * (long) ControlLayout.BYTES;
  }

  long ringOffset(int slot) {
    return controlBytes() + slot * (long) ringBytes;
  }

  long fileBytes() {
    return ringOffset(slots);
  }
}
