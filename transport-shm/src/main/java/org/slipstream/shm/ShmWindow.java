package org.slipstream.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slipstream.transport.Window;

/**
 * A slot of an {@link OwnSlab}. The object lives as long as the slab and is used by many streams.
 */
final class ShmWindow implements Window {
  /** Bytes of a descriptor: slab index and slot. */
  static final int DESCRIPTOR_BYTES = 8;

  private final ShmSession session;
  private final OwnSlab slab;
  private final int slot;
  private final MemorySegment control;
  private final MemorySegment ring;

  /** Written by the reader of the stream that has the window, handed over by the reactor. */
  private volatile long granted;

  ShmWindow(ShmSession session, OwnSlab slab, int slot) {
    this.session = session;
    this.slab = slab;
    this.slot = slot;
    this.control = slab.control(slot);
    this.ring = slab.ring(slot);
  }

  /** Prepares it for a new stream; no peer may be writing. */
  void reset() throws IOException {
    control.fill((byte) 0);
    if (granted == 0) {
      grow(OwnSlab.FIRST_GRANT);
    }
  }

  /** The ring has no storage any more; only of a free window. Returns how much it had. */
  long storageReleased() {
    long had = granted;
    granted = 0;
    return had;
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
    return granted;
  }

  @Override
  public void grow(long bytes) throws IOException {
    slab.grow(slot, granted, bytes);
    granted = bytes;
  }

  @Override
  public void descriptor(ByteBuffer out) {
    out.putInt(slab.index()).putInt(slot);
  }

  @Override
  public void free() {
    slab.giveBack(slot, session.isOpen());
  }

  @Override
  public void quarantine() {
    slab.giveBack(slot, false);
  }
}
