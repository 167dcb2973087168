package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slipstream.transport.Window;

/**
 * A slot of an {@link OwnSlab}. The object lives as long as the slab and is used by many streams.
 */
final class NtbWindow implements Window {
  /** Bytes of a descriptor: slab index and slot. */
  static final int DESCRIPTOR_BYTES = 8;

  private final NtbSession session;
  private final OwnSlab slab;
  private final int slot;
  private final MemorySegment control;
  private final MemorySegment ring;

  NtbWindow(NtbSession session, OwnSlab slab, int slot) {
    this.session = session;
    this.slab = slab;
    this.slot = slot;
    this.control = slab.control(slot);
    this.ring = slab.ring(slot);
  }

  @Override
  public MemorySegment control() {
    return control;
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
    // Has its full size already.
  }

  @Override
  public void descriptor(ByteBuffer out) {
    out.putInt(slab.index()).putInt(slot);
  }

  @Override
  public void free() {
    slab.giveBack(this, session.isOpen());
  }

  @Override
  public void quarantine() {
    slab.giveBack(this, false);
  }
}
