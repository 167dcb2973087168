package org.slipstream.ntb;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.Reservation;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.SlotWindow;
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
    Exported made = null;
    try {
      made = fabric.export(layout.bytes());
      Exported segment = made;
      Once release =
          new Once(() -> {
            segment.close();
            reservation.release();
          });
      slots = new Slots(layout.slots(), () -> setup.execute(release));
      windows = windows(index, segment, layout, isOpen, slots::giveBack);
    } catch (IOException e) {
      reservation.release();
      throw new IOException("no memory for windows: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) { // of a full heap
      reservation.release();
      if (made != null) {
        setup.execute(made::close);
      }
      throw e;
    }
    exported = made;
  }

  private static NtbWindow[] windows(
      int index,
      Exported exported,
      SlabLayout layout,
      BooleanSupplier isOpen,
      SlotWindow.Owner owner) {
    NtbWindow[] made = new NtbWindow[layout.slots()];
    for (int slot = 0; slot < made.length; slot++) {
      made[slot] =
          new NtbWindow(
              new SlotName(index, slot),
              layout.control(exported.memory(), slot),
              layout.ring(exported.memory(), slot),
              isOpen,
              owner);
    }
    return made;
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
