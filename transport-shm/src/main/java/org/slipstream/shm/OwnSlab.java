package org.slipstream.shm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryBudget;

/**
 * A slab of our own receive windows: a sparse file that the peer maps too. Slots are handed out
 * last in, first out, because warm pages are worth more than fairness.
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
  private final Path path;
  private final RandomAccessFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Deque<ShmWindow> free = new ArrayDeque<>();
  private int inUse;
  private boolean ended;
  private boolean usable = true;

  /** Bytes taken from the budget. Guarded by this. */
  private long reserved;

  OwnSlab(ShmSession session, int index, SlabLayout layout, Path path, MemoryBudget budget)
      throws IOException {
    this.index = index;
    this.layout = layout;
    this.path = path;
    this.budget = budget;
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
    for (int slot = layout.slots() - 1; slot >= 0; slot--) {
      free.push(new ShmWindow(session, this, slot));
    }
  }

  int index() {
    return index;
  }

  SlabLayout layout() {
    return layout;
  }

  MemorySegment control(int slot) {
    return memory.asSlice(layout.controlOffset(slot), SlabLayout.CONTROL_BYTES);
  }

  MemorySegment ring(int slot) {
    return memory.asSlice(layout.ringOffset(slot), layout.ringBytes());
  }

  /** The peer has mapped it, or never will: nobody needs the name any more. */
  void unlink() {
    RuntimeDirectory.delete(path);
  }

  /** The peer could not map it. */
  void markUnusable() {
    usable = false;
  }

  @Nullable ShmWindow take() throws IOException {
    ShmWindow window = usable ? free.poll() : null;
    if (window != null) {
      try {
        window.reset();
      } catch (IOException e) {
        free.push(window);
        throw e;
      }
      inUse++;
    }
    return window;
  }

  void giveBack(ShmWindow window, boolean reusable) {
    inUse--;
    if (reusable) {
      free.push(window);
    }
    closeIfDone();
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
