package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.SlotWindow;

/**
 * A slot of an {@code OwnSlab}, named by its number. The object lives as long as the slab and is
 * used by many streams.
 */
final class NtbWindow extends SlotWindow {
  private final SlotName name;

  NtbWindow(
      SlotName name,
      MemorySegment control,
      MemorySegment ring,
      BooleanSupplier isOpen,
      Owner owner) {
    super(name.slot(), control, ring, isOpen, owner);
    this.name = name;
  }

  @Override
  public void descriptor(ByteBuffer out) {
    name.put(out);
  }
}
