package org.slipstream.transport.slab;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.slipstream.transport.ControlLayout;

/**
 * Memory that holds several windows of one session: the only truth about its offsets.
 *
 * <pre>
 *   0                256              ...        controlBytes                 + ringBytes
 *   +----------------+----------------+-- - - ---+----------------------------+-- - - - -
 *   | control slot 0 | control slot 1 |          | ring slot 0                | ring slot 1
 *   +----------------+----------------+-- - - ---+----------------------------+-- - - - -
 *    storage from the start                       storage as far as it is committed
 * </pre>
 *
 * <p>Control blocks stand together, 16 to a page, so that an idle link costs a fraction of a page.
 *
 * @param slots windows in the slab
 * @param ringBytes size of each ring, a power of two, at least a page
 */
public record SlabLayout(int slots, int ringBytes) {
  private static final int PAGE = 4096;
  private static final int MIN_RING_BYTES = 16 * 1024;
  private static final int MAX_RING_BYTES = 64 * 1024 * 1024;
  private static final int MAX_SLOTS = 1024;

  /**
   * Whether a peer's numbers can be a slab at all.
   *
   * @return false if they are nonsense
   */
  public boolean isValid() {
    return slots > 0
        && slots <= MAX_SLOTS
        && ringBytes >= MIN_RING_BYTES
        && ringBytes <= MAX_RING_BYTES
        && Integer.bitCount(ringBytes) == 1;
  }

  /**
   * Refuses a peer's numbers that can not be a slab.
   *
   * @throws IOException they are nonsense
   */
  public void check() throws IOException {
    if (!isValid()) {
      throw new IOException("Peer describes an impossible slab: " + this);
    }
  }

  /**
   * Refuses a peer's number of a slot that is none.
   *
   * @param slot the peer's word
   * @throws IOException it is nonsense
   */
  public void check(int slot) throws IOException {
    if (slot < 0 || slot >= slots) {
      throw new IOException("Peer names slot " + slot + " of " + slots);
    }
  }

  /**
   * How much all control blocks take.
   *
   * @return bytes, whole pages
   */
  public long controlBytes() {
    return (slots * (long) ControlLayout.BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /**
   * Where a control block lies.
   *
   * @param slot of the window
   * @return bytes from the start of the slab
   */
  public long controlOffset(int slot) {
    return slot * (long) ControlLayout.BYTES;
  }

  /**
   * Where a ring lies.
   *
   * @param slot of the window
   * @return bytes from the start of the slab
   */
  public long ringOffset(int slot) {
    return controlBytes() + slot * (long) ringBytes;
  }

  /**
   * How large it is.
   *
   * @return bytes
   */
  public long bytes() {
    return ringOffset(slots);
  }

  /**
   * A control block.
   *
   * @param slab all of it
   * @param slot of the window
   * @return its words
   */
  public MemorySegment control(MemorySegment slab, int slot) {
    return slab.asSlice(controlOffset(slot), ControlLayout.BYTES);
  }

  /**
   * A ring.
   *
   * @param slab all of it
   * @param slot of the window
   * @return its bytes
   */
  public MemorySegment ring(MemorySegment slab, int slot) {
    return slab.asSlice(ringOffset(slot), ringBytes);
  }
}
