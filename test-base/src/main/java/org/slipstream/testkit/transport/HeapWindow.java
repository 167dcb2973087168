package org.slipstream.testkit.transport;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Window;

/** A window in ordinary memory of this process, which can refuse to grow and counts its ends. */
public final class HeapWindow implements Window {
  private final MemorySegment control;
  private final MemorySegment ring;
  private volatile long committed;
  private volatile long growLimit = Long.MAX_VALUE;
  private volatile boolean plenty;
  private volatile int freed;
  private volatile int quarantined;

  public HeapWindow(int ringBytes, int committed) {
    this(
        Arena.ofAuto().allocate(ControlLayout.BYTES, 64),
        Arena.ofAuto().allocate(ringBytes, 4096), // a page, as rings that are mapped
        committed);
  }

  /** A wholly committed one in memory of the caller. */
  public HeapWindow(MemorySegment memory) {
    this(
        memory.asSlice(0, ControlLayout.BYTES),
        memory.asSlice(ControlLayout.BYTES),
        memory.byteSize() - ControlLayout.BYTES);
  }

  private HeapWindow(MemorySegment control, MemorySegment ring, long committed) {
    this.control = control;
    this.ring = ring;
    this.committed = committed;
  }

  /** From now on there is no storage for more than that. */
  public void refuseToGrowBeyond(long bytes) {
    growLimit = bytes;
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
  public long committedBytes() {
    return committed;
  }

  @Override
  public void grow(long bytes) throws IOException {
    if (bytes > growLimit) {
      throw new IOException("no storage for " + bytes + " bytes");
    }
    committed = bytes;
  }

  /** From now on the ring may have more storage than it needs. */
  public void haveStorageInPlenty() {
    plenty = true;
  }

  @Override
  public boolean hasPlenty() {
    return plenty;
  }

  @Override
  public void descriptor(ByteBuffer out) {
    out.putLong(System.identityHashCode(this));
  }

  @Override
  public void free() {
    freed++;
  }

  @Override
  public void quarantine() {
    quarantined++;
  }

  public int freed() {
    return freed;
  }

  public int quarantined() {
    return quarantined;
  }
}
