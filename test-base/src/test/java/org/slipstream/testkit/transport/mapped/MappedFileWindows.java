package org.slipstream.testkit.transport.mapped;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Window;
import org.slipstream.transport.slab.CoherentLink;
import org.slipstream.transport.slab.Reservation;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.SlotWindow;
import org.slipstream.transport.slab.Slots;

/** The windows of a session: one file with a slab of each side. Reactor only. */
final class MappedFileWindows {
  private static final int SLOTS = 128;

  private final BooleanSupplier isOpen;
  private final SlabLayout layout;
  private final RandomAccessFile file;
  private final long ownOffset;
  private final MemorySegment own;
  private final MemorySegment peers;
  private final Reservation reservation;
  private final Slots slots;

  MappedFileWindows(TransportHost host, Path path, int side, BooleanSupplier isOpen)
      throws IOException {
    this.isOpen = isOpen;
    layout = new SlabLayout(SLOTS, host.settings().ringBytes());
    reservation = new Reservation(host.budget());
    slots = new Slots(SLOTS, reservation::release);
    ownOffset = side * layout.bytes();
    long bytes = 2 * layout.bytes();
    file = new RandomAccessFile(path.toFile(), "rw");
    file.setLength(bytes); // zeros, without storage
    // Unmapped by the collector behind its last window and link; with Uses it would be at once.
    MemorySegment all = file.getChannel().map(MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
    own = all.asSlice(ownOffset, layout.bytes());
    peers = all.asSlice(layout.bytes() - ownOffset, layout.bytes());
  }

  Window allocate() throws IOException {
    reservation.add(layout.ringBytes());
    int slot = slots.take();
    if (slot < 0) {
      reservation.remove(layout.ringBytes());
      throw new IOException("the session is over, or all of its windows are in use");
    }
    try {
      // By a write, and not by a store: where the disk is full that fails, and a store is a fault.
      file.seek(ownOffset + layout.controlOffset(slot));
      file.write(new byte[ControlLayout.BYTES]);
      file.seek(ownOffset + layout.ringOffset(slot));
      file.write(new byte[layout.ringBytes()]);
    } catch (IOException e) {
      giveBack(slot, true);
      throw e;
    }
    MemorySegment ring = layout.ring(own, slot);
    return new SlotWindow(slot, layout.control(own, slot), ring, isOpen, this::giveBack) {
      @Override
      public void descriptor(ByteBuffer out) {
        new SlotName(0, slot).put(out);
      }
    };
  }

  private void giveBack(int slot, boolean reusable) {
    if (reusable) {
      reservation.remove(layout.ringBytes());
    }
    slots.giveBack(slot, reusable);
  }

  Link join(Window window, ByteBuffer peerDescriptor) throws IOException {
    int slot = SlotName.read(peerDescriptor).slot();
    layout.check(slot);
    MemorySegment ring = layout.ring(peers, slot);
    return new CoherentLink(window, layout.control(peers, slot), ring, () -> {});
  }

  void sessionEnded() throws IOException {
    slots.end();
    file.close();
  }
}
