package org.slipstream.ntb;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.Reservation;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.Slots;

/**
 * A segment of our own receive windows, which the peer maps. Its memory is there from the start: a
 * driver allocates it whole. Reactor only.
 */
final class OwnSlab {
  private final Exported exported;
  private final NtbWindow[] windows;
  private final Slots slots;

  /**
   * Makes the segment.
   *
   * @param isOpen whether the session lives
   * @param setup gives the memory back
   */
  OwnSlab(
      Fabric fabric,
      int index,
      SlabLayout layout,
      MemoryBudget budget,
      BooleanSupplier isOpen,
      SetupThread setup)
      throws IOException {
    Reservation reservation = new Reservation(budget);
    reservation.add(layout.bytes());
    try {
      this.exported = fabric.export(layout.bytes());
    } catch (IOException e) {
      reservation.release();
      throw new IOException("no memory for windows: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      reservation.release();
      throw e;
    }
    slots =
        new Slots(
            layout.slots(),
            () ->
                setup.execute(() -> {
                  exported.close();
                  reservation.release();
                }));
    windows = new NtbWindow[layout.slots()];
    for (int slot = 0; slot < windows.length; slot++) {
      windows[slot] =
          new NtbWindow(
              new SlotName(index, slot),
              layout.control(exported.memory(), slot),
              layout.ring(exported.memory(), slot),
              isOpen,
              slots::giveBack);
    }
  }

  int segmentId() {
    return exported.id();
  }

  /** The peer could not map it. */
  void markUnusable() {
    slots.withdraw();
  }

  @Nullable NtbWindow take() {
    int slot = slots.take();
    if (slot < 0) {
      return null;
    }
    windows[slot].control().fill((byte) 0);
    return windows[slot];
  }

  /** The session is over: memory goes when the last window is given back. */
  void sessionEnded() {
    slots.end();
  }
}
