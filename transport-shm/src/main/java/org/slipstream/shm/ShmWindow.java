package org.slipstream.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.SlotWindow;

/**
 * A slot of an {@code OwnSlab}, whose ring gets storage as it is committed. The object lives as
 * long as the slab and is used by many streams.
 */
final class ShmWindow extends SlotWindow {

  /**
   * Storage of a new window's ring: enough for a ping-pong, small enough for thousands of streams.
   */
  static final int FIRST_COMMITTED = 4096;

  private final SlotName name;
  private final Storage storage;

  /** Written by the reader of the stream that has the window, handed over by the reactor. */
  private volatile long committed;

  /** Where storage comes from. */
  interface Storage {
    /** Puts storage behind a piece of a ring. Any thread. */
    void grow(int slot, long from, long to) throws IOException;

    /** As {@link MemoryBudget#hasPlenty}. */
    boolean hasPlenty();
  }

  ShmWindow(
      SlotName name,
      MemorySegment control,
      MemorySegment ring,
      BooleanSupplier isOpen,
      Storage storage,
      Owner owner) {
    super(name.slot(), control, ring, isOpen, owner);
    this.name = name;
    this.storage = storage;
  }

  /** Prepares it for a new stream; no peer may be writing. */
  void reset() throws IOException {
    control().fill((byte) 0);
    if (committed == 0) {
      grow(FIRST_COMMITTED);
    }
  }

  /** The ring has no storage any more; only of a free window. Returns how much it had. */
  long storageReleased() {
    long had = committed;
    committed = 0;
    return had;
  }

  @Override
  public long committedBytes() {
    return committed;
  }

  @Override
  public void grow(long bytes) throws IOException {
    storage.grow(slot(), committed, bytes);
    committed = bytes;
  }

  @Override
  public boolean hasPlenty() {
    return storage.hasPlenty();
  }

  @Override
  public void descriptor(ByteBuffer out) {
    name.put(out);
  }
}
