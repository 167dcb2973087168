package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryBudget;

/**
 * A segment of our own receive windows, which the peer maps. Its memory is there from the start: a
 * driver allocates it whole. Reactor only.
 */
final class OwnSlab {
  private final int index;
  private final SlabLayout layout;
  private final MemoryBudget budget;
  private final Exported exported;
  private final SetupThread setup;
  private final Deque<NtbWindow> free = new ArrayDeque<>();
  private int inUse;
  private boolean ended;
  private boolean usable = true;

  OwnSlab(NtbSession session, int index, SlabLayout layout, MemoryBudget budget, SetupThread setup)
      throws IOException {
    this.setup = setup;
    this.index = index;
    this.layout = layout;
    this.budget = budget;
    if (!budget.tryReserve(layout.bytes())) {
      throw new IOException("slipstream.memory.limit is reached");
    }
    try {
      this.exported = session.fabric().export(layout.bytes());
    } catch (IOException e) {
      budget.release(layout.bytes());
      throw new IOException("no memory for windows: " + e.getMessage(), e);
    }
    for (int slot = layout.slots() - 1; slot >= 0; slot--) {
      free.push(new NtbWindow(session, this, slot));
    }
  }

  int index() {
    return index;
  }

  int segmentId() {
    return exported.id();
  }

  SlabLayout layout() {
    return layout;
  }

  MemorySegment control(int slot) {
    return exported.memory().asSlice(layout.controlOffset(slot), ControlLayout.BYTES);
  }

  MemorySegment ring(int slot) {
    return exported.memory().asSlice(layout.ringOffset(slot), layout.ringBytes());
  }

  /** The peer could not map it. */
  void markUnusable() {
    usable = false;
  }

  @Nullable NtbWindow take() {
    NtbWindow window = usable && !ended ? free.poll() : null;
    if (window != null) {
      window.control().fill((byte) 0);
      inUse++;
    }
    return window;
  }

  void giveBack(NtbWindow window, boolean reusable) {
    inUse--;
    if (reusable) {
      free.push(window);
    }
    closeIfDone();
  }

  /** The session is over: memory goes when the last window is given back. */
  void sessionEnded() {
    ended = true;
    closeIfDone();
  }

  private void closeIfDone() {
    if (ended && inUse == 0) {
      inUse = -1;
      setup.execute(() -> {
        exported.close();
        budget.release(layout.bytes());
      });
    }
  }
}
