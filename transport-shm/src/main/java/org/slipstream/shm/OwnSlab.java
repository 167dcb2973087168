package org.slipstream.shm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.slab.Reservation;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;
import org.slipstream.transport.slab.Slots;

/**
 * A slab of our own receive windows: a sparse file that the peer maps too.
 *
 * <p>The storage of rings that stay free goes back to the system ({@link #trim}, ADR 25).
 *
 * <p>Reactor only, but for {@link #grow}.
 */
final class OwnSlab {
  private static final int ZEROS = 64 * 1024;

  private final int index;
  private final SlabLayout layout;
  private final Reservation reservation;
  private final Holes holes;
  private final Users users;
  private final Path path;
  private final RandomAccessFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final ShmWindow[] windows;
  private final Slots slots;

  /** Slots that have been free since the last {@link #trim}. */
  private final BitSet quiet = new BitSet();

  /** Whether the peer has mapped it, and so does not look at the length of the file any more. */
  private boolean mapped;

  /** The file is closed: there is no more storage. Guarded by this. */
  private boolean closed;

  /** Those whose windows are here. */
  @FunctionalInterface
  interface Users {
    /** A stream has left a window, which can be used again or not. */
    void givenBack(int ringBytes, boolean reusable);
  }

  /**
   * Makes the file.
   *
   * @param isOpen whether the session lives
   * @param users told when a window is given back
   */
  OwnSlab(
      int index,
      SlabLayout layout,
      Path path,
      MemoryBudget budget,
      Holes holes,
      BooleanSupplier isOpen,
      Users users)
      throws IOException {
    this.index = index;
    this.layout = layout;
    this.path = path;
    this.holes = holes;
    this.users = users;
    reservation = new Reservation(budget);
    reservation.add(layout.controlBytes());
    RandomAccessFile f = null;
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      f = new RandomAccessFile(path.toFile(), "rw");
      f.setLength(layout.bytes());
      f.write(new byte[(int) layout.controlBytes()]); // a full file system must show here
      memory = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, layout.bytes(), arena);
      slots = new Slots(layout.slots(), this::giveMemoryBack);
      windows = windows(new RingStorage(budget), isOpen);
    } catch (IOException e) {
      undo(f);
      throw new IOException(
          "no memory for a slab in " + path.getParent() + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) { // of a full heap, which is not what the caller asks for
      undo(f);
      throw e;
    }
    file = f;
  }

  private ShmWindow[] windows(ShmWindow.Storage storage, BooleanSupplier isOpen) {
    ShmWindow[] made = new ShmWindow[layout.slots()];
    for (int slot = 0; slot < made.length; slot++) {
      made[slot] =
          new ShmWindow(
              new SlotName(index, slot),
              layout.control(memory, slot),
              layout.ring(memory, slot),
              isOpen,
              storage,
              this::giveBack);
    }
    return made;
  }

  private void undo(@Nullable RandomAccessFile made) {
    giveMemoryBack();
    unlink();
    closeQuietly(made);
  }

  /** Storage of the rings of this slab. */
  private final class RingStorage implements ShmWindow.Storage {
    private final MemoryBudget budget;

    RingStorage(MemoryBudget budget) {
      this.budget = budget;
    }

    @Override
    public void grow(int slot, long from, long to) throws IOException {
      OwnSlab.this.grow(slot, from, to);
    }

    @Override
    public boolean hasPlenty() {
      return budget.hasPlenty();
    }
  }

  int index() {
    return index;
  }

  int ringBytes() {
    return layout.ringBytes();
  }

  /** The peer has mapped it, or never will: the name is of no use any more. */
  void confirmed(boolean ok) {
    unlink();
    mapped = ok;
    if (!ok) {
      slots.withdraw();
    }
  }

  private void unlink() {
    RuntimeDirectory.delete(path);
  }

  /** Whether nothing of it is in use or ever will be. */
  boolean isUseless() {
    return slots.areUseless();
  }

  @Nullable ShmWindow take() throws IOException {
    int slot = slots.take();
    if (slot < 0) {
      return null;
    }
    try {
      windows[slot].reset();
    } catch (IOException | RuntimeException | Error e) {
      slots.giveBack(slot, true);
      throw e;
    }
    quiet.clear(slot);
    return windows[slot];
  }

  private void giveBack(int slot, boolean reusable) {
    slots.giveBack(slot, reusable);
    users.givenBack(layout.ringBytes(), reusable);
  }

  // -- storage that comes back -----------------------------------------------------------------

  /**
   * Gives back the storage of rings that have been free since the last call. No store of the peer
   * can be under way there, or the slots were not free, and the next user of a slot has storage put
   * behind it before the peer may write. The end of the file is cut off and added again, which
   * keeps the mappings of both processes; holes before it need native access.
   *
   * @return whether a later call gives back more, even if nothing is used or freed until then
   * @throws IOException the peer has changed the length of the file
   */
  boolean trim() throws IOException {
    BitSet due = withStorage(quiet);
    if (!due.isEmpty() && mapped) {
      int end = endOfUse();
      if (due.length() > end) {
        cut(end);
        released(due, end);
      }
    }
    due = withStorage(quiet);
    if (!due.isEmpty() && holes.arePossible()) {
      for (int slot = due.nextSetBit(0); slot >= 0; slot = due.nextSetBit(slot + 1)) {
        if (holes.punch(windows[slot].ring())) {
          released(slot);
        }
      }
    }
    BitSet free = slots.free();
    boolean more = !withStorage(free).equals(withStorage(quiet));
    quiet.or(free);
    return more;
  }

  private BitSet withStorage(BitSet those) {
    BitSet some = new BitSet();
    those.stream().filter(slot -> windows[slot].committedBytes() > 0).forEach(some::set);
    return some;
  }

  /** The lowest slot from which on all have been free since the last {@link #trim}. */
  private int endOfUse() {
    return quiet.previousClearBit(windows.length - 1) + 1;
  }

  private synchronized void cut(int slot) throws IOException {
    if (closed) {
      return;
    }
    if (file.length() != layout.bytes()) {
      throw new IOException("the peer took away memory of a slab");
    }
    file.setLength(layout.ringOffset(slot));
    file.setLength(layout.bytes());
  }

  private void released(BitSet those, int from) {
    those.stream().filter(slot -> slot >= from).forEach(this::released);
  }

  private void released(int slot) {
    reservation.remove(windows[slot].storageReleased());
  }

  /**
   * Puts zeros, and so storage, behind a piece of a ring. Any thread. Not through a FileChannel: an
   * interrupt would close it for all streams.
   */
  private synchronized void grow(int slot, long from, long to) throws IOException {
    if (closed) {
      throw new IOException("the session is over");
    }
    byte[] zeros = new byte[(int) Math.min(ZEROS, to - from)];
    reservation.add(to - from);
    try {
      file.seek(layout.ringOffset(slot) + from);
      for (long at = from; at < to; at += zeros.length) {
        file.write(zeros, 0, (int) Math.min(zeros.length, to - at));
      }
    } catch (IOException e) {
      reservation.remove(to - from);
      throw e;
    }
  }

  /** The session is over: memory goes when the last window is given back. */
  void sessionEnded() {
    unlink();
    synchronized (this) {
      closed = true;
      closeQuietly(file);
    }
    slots.end();
  }

  private void giveMemoryBack() {
    reservation.release();
    arena.close();
  }

  private static void closeQuietly(@Nullable RandomAccessFile f) {
    try {
      if (f != null) {
        f.close();
      }
    } catch (IOException e) {
      // A descriptor of a tmpfs file: nothing is lost with it.
      return;
    }
  }
}
