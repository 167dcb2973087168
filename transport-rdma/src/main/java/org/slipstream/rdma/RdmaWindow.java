package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.slab.SlotWindow;

/** A slot of a slab that the peer writes by RDMA. Its memory is pinned from the start. */
final class RdmaWindow extends SlotWindow {
  private final Slab slab;
  private final RdmaOrder order;
  private final MemorySegment shadow;

  /**
   * Makes one.
   *
   * @param isOpen whether the peer's queue pair lives; memory that it may still write is not used
   *     again
   * @param order what has to be done so that its positions are believed
   */
  RdmaWindow(BooleanSupplier isOpen, Slab slab, int slot, RdmaOrder order) {
    super(slot, slab.control(slot), slab.ring(slot), isOpen, slab::giveBack);
    this.order = order;
    this.slab = slab;
    this.shadow = slab.shadow(slot);
  }

  RdmaOrder order() {
    return order;
  }

  /** The shadow words of what we publish, for the peer to read; behind the control block. */
  MemorySegment shadow() {
    return shadow;
  }

  @Override
  public void descriptor(ByteBuffer out) {
    new WindowDescriptor(
            control().address(),
            ring().address(),
            slab.region().remoteKey(),
            (int) ring().byteSize(),
            order)
        .put(out);
  }
}
