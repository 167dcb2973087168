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
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryBudget;

/**
 * A slab of our own receive windows: a sparse file that the peer maps too. The lowest free slot is
 * handed out first: its pages are warm, and the end of the file stays free of windows.
 *
 * <p>The storage of rings that stay free goes back to the system ({@link #trim}, ADR 25).
 *
 * <p>Reactor only, but for {@link #grow}.
 */
final class OwnSlab {
  /**
   * Storage of a new window's ring: enough for a ping-pong, small enough for thousands of streams.
   */
  static final int FIRST_GRANT = 4096;

  private static final int ZEROS = 64 * 1024;

  private final int index;
  private final SlabLayout layout;
  private final MemoryBudget budget;
  private final Holes holes;
  private final Path path;
  private final RandomAccessFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final ShmSession session;
  private final ShmWindow[] windows;
  private final BitSet free = new BitSet();

  /** Slots that have been free since the last {@link #trim}. */
  private final BitSet quiet = new BitSet();

  private int inUse;
  private boolean ended;
  private boolean usable = true;

  /** Whether the peer has mapped it, and so does not look at the length of the file any more. */
  private boolean mapped;

  /** Bytes taken from the budget. Guarded by this. */
  private long reserved;

  OwnSlab(
      ShmSession session, int index, SlabLayout layout, Path path, MemoryBudget budget, Holes holes)
      throws IOException {
    this.session = session;
    this.index = index;
    this.layout = layout;
    this.path = path;
    this.budget = budget;
    this.holes = holes;
    if (!budget.tryReserve(layout.controlBytes())) {
      throw new IOException("slipstream.memory.limit is reached");
    }
    reserved = layout.controlBytes();
    RandomAccessFile f = null;
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      f = new RandomAccessFile(path.toFile(), "rw");
      f.setLength(layout.fileBytes());
      f.write(new byte[(int) layout.controlBytes()]); // a full file system must show here
      memory = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, layout.fileBytes(), arena);
    } catch (IOException | OutOfMemoryError e) {
      unlink();
      closeQuietly(f);
      end();
      throw new IOException(
          "no memory for a slab in " + path.getParent() + ": " + e.getMessage(), e);
    }
    file = f;
    windows = new ShmWindow[layout.slots()];
    for (int slot = 0; slot < windows.length; slot++) {
      windows[slot] = new ShmWindow(session, this, slot);
    }
    free.set(0, windows.length);
  }

  int index() {
    return index;
  }

  SlabLayout layout() {
    return layout;
  }

  MemorySegment control(int slot) {
    return memory.asSlice(layout.controlOffset(slot), ControlLayout.BYTES);
  }

  MemorySegment ring(int slot) {
    return memory.asSlice(layout.ringOffset(slot), layout.ringBytes());
  }

  /** The peer has mapped it, or never will: the name is of no use any more. */
  void confirmed(boolean ok) {
    unlink();
    mapped = ok;
    usable = ok;
  }

  private void unlink() {
    RuntimeDirectory.delete(path);
  }

  /** Whether nothing of it is in use or ever will be. */
  boolean isUseless() {
    return !usable && inUse == 0;
  }

  @Nullable ShmWindow take() throws IOException {
    int slot = usable ? free.nextSetBit(0) : -1;
    if (slot < 0) {
      return null;
    }
    windows[slot].reset();
    free.clear(slot);
    quiet.clear(slot);
    inUse++;
    return windows[slot];
  }

  void giveBack(int slot, boolean reusable) {
    inUse--;
    if (reusable) {
      free.set(slot);
      session.windowFreed();
    }
    closeIfDone();
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
        if (holes.punch(ring(slot))) {
          released(slot);
        }
      }
    }
    boolean more = !withStorage(free).equals(withStorage(quiet));
    quiet.or(free);
    return more;
  }

  private BitSet withStorage(BitSet slots) {
    BitSet some = new BitSet();
    slots.stream().filter(slot -> windows[slot].grantedBytes() > 0).forEach(some::set);
    return some;
  }

  /** The lowest slot from which on all have been free since the last {@link #trim}. */
  private int endOfUse() {
    return quiet.previousClearBit(windows.length - 1) + 1;
  }

  private synchronized void cut(int slot) throws IOException {
    if (ended) {
      return;
    }
    if (file.length() != layout.fileBytes()) {
      throw new IOException("the peer took away memory of a slab");
    }
    file.setLength(layout.ringOffset(slot));
    file.setLength(layout.fileBytes());
  }

  private void released(BitSet slots, int from) {
    slots.stream().filter(slot -> slot >= from).forEach(this::released);
  }

  private void released(int slot) {
    long bytes = windows[slot].storageReleased();
    synchronized (this) {
      reserved -= bytes;
    }
    budget.release(bytes);
  }

  /**
   * Puts zeros, and so storage, behind a piece of a ring. Any thread. Not through a FileChannel: an
   * interrupt would close it for all streams.
   */
  synchronized void grow(int slot, long from, long to) throws IOException {
    if (ended) {
      throw new IOException("the session is over");
    }
    if (!budget.tryReserve(to - from)) {
      throw new IOException("slipstream.memory.limit is reached");
    }
    reserved += to - from;
    byte[] zeros = new byte[(int) Math.min(ZEROS, to - from)];
    try {
      file.seek(layout.ringOffset(slot) + from);
      for (long at = from; at < to; at += zeros.length) {
        file.write(zeros, 0, (int) Math.min(zeros.length, to - at));
      }
    } catch (IOException e) {
      budget.release(to - from);
      reserved -= to - from;
      throw e;
    }
  }

  /** The session is over: memory goes when the last window is given back. */
  void sessionEnded() {
    unlink();
    synchronized (this) {
      ended = true;
      closeQuietly(file);
    }
    closeIfDone();
  }

  private void closeIfDone() {
    boolean over;
    synchronized (this) {
      over = ended;
    }
    if (over && inUse == 0) {
      end();
    }
  }

  private void end() {
    if (arena.scope().isAlive()) {
      arena.close();
      synchronized (this) {
        budget.release(reserved);
        reserved = 0;
      }
    }
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
