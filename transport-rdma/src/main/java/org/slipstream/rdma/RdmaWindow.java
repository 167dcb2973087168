package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.Window;

/** A slot of a slab that the peer writes by RDMA. Its memory is pinned from the start. */
final class RdmaWindow implements Window {
  private final BooleanSupplier isOpen;
  private final Slab slab;
  private final int slot;
  private final RdmaOrder order;
  private final MemorySegment control;
  private final MemorySegment shown;
  private final MemorySegment ring;

  /**
   * Makes one.
   *
   * @param isOpen whether the peer's queue pair lives; memory that it may still write is not used
   *     again
   * @param order what has to be done so that its positions are believed
   */
  RdmaWindow(BooleanSupplier isOpen, Slab slab, int slot, RdmaOrder order) {
    this.isOpen = isOpen;
    this.order = order;
    this.slab = slab;
    this.slot = slot;
    this.control = slab.control(slot);
    this.shown = slab.mirror(slot);
    this.ring = slab.ring(slot);
  }

  @Override
  public MemorySegment control() {
    return control;
  }

  RdmaOrder order() {
    return order;
  }

  /** Where we show the peer what we publish; behind the control block. */
  MemorySegment shown() {
    return shown;
  }

  @Override
  public MemorySegment ring() {
    return ring;
  }

  @Override
  public long grantedBytes() {
    return ring.byteSize();
  }

  @Override
  public void grow(long bytes) {
    // It has its full size: pages are pinned when the slab is registered.
  }

  @Override
  public void descriptor(ByteBuffer out) {
    new WindowDescriptor(
            control.address(),
            ring.address(),
            slab.region().remoteKey(),
            (int) ring.byteSize(),
            order)
        .put(out);
  }

  @Override
  public void free() {
    slab.giveBack(slot, isOpen.getAsBoolean());
  }

  @Override
  public void quarantine() {
    slab.giveBack(slot, false);
  }
}
