package org.slipstream.transport.slab;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.Window;

/**
 * A slot of a slab of ours, with storage behind all of its ring from the start. A backend adds how
 * it is named to the peer, and storage that comes later, if that is so.
 */
public abstract class SlotWindow implements Window {
  private final int slot;
  private final MemorySegment control;
  private final MemorySegment ring;
  private final BooleanSupplier isOpen;
  private final Owner owner;

  /** What a window goes back to. */
  @FunctionalInterface
  public interface Owner {
    /**
     * The window is used no more.
     *
     * @param slot its number
     * @param reusable false if a store of the peer may still be under way
     */
    void giveBack(int slot, boolean reusable);
  }

  /**
   * Makes one.
   *
   * @param slot its number
   * @param control its control block
   * @param ring its ring
   * @param isOpen whether the session lives: memory that a peer may still write to without saying
   *     when it has stopped is not used again
   * @param owner where it goes back to
   */
  protected SlotWindow(
      int slot, MemorySegment control, MemorySegment ring, BooleanSupplier isOpen, Owner owner) {
    this.slot = slot;
    this.control = control;
    this.ring = ring;
    this.isOpen = isOpen;
    this.owner = owner;
  }

  /**
   * Which slot it is.
   *
   * @return its number in the slab
   */
  protected final int slot() {
    return slot;
  }

  @Override
  public final MemorySegment control() {
    return control;
  }

  @Override
  public final MemorySegment ring() {
    return ring;
  }

  @Override
  public long committedBytes() {
    return ring.byteSize();
  }

  @Override
  public void grow(long bytes) throws IOException {
    // It has its full size already.
  }

  @Override
  public final void free() {
    owner.giveBack(slot, isOpen.getAsBoolean());
  }

  @Override
  public final void quarantine() {
    owner.giveBack(slot, false);
  }
}
