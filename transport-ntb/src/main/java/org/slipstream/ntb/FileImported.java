package org.slipstream.ntb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A piece of the peer's half of a mapped file. */
final class FileImported implements Imported {
  private final MemorySegment half;
  private final long epoch;
  private final long entry;
  private final long serial;
  private final MemorySegment memory;
  private final @Nullable Arena arena;
  private final MemorySegment mirror;

  FileImported(
      MemorySegment half, long epoch, long entry, long serial, MemorySegment memory, boolean bulk) {
    this.half = half;
    this.epoch = epoch;
    this.entry = entry;
    this.serial = serial;
    this.memory = memory;
    this.arena = bulk ? Arena.ofShared() : null;
    this.mirror = arena == null ? MemorySegment.NULL : arena.allocate(memory.byteSize(), 64);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  /** On x86-64 a locked instruction drains the write-combining buffers. */
  @Override
  public void flush() {
    VarHandle.fullFence();
  }

  @Override
  public void read(long offset, byte[] out) {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, out, 0, out.length);
  }

  /** All ones, as a dead bridge reads, are no epoch either. */
  @Override
  public Health health() {
    return FileLayout.getLong(half, FileLayout.EPOCH) == epoch
            && FileLayout.getInt(half, entry + FileLayout.ENTRY_STATE) == 1
            && FileLayout.getLong(half, entry + FileLayout.ENTRY_SERIAL) == serial
        ? Health.GOOD
        : Health.GONE;
  }

  @Override
  public boolean isBroken() {
    return health() != Health.GOOD;
  }

  /**
   * There is nothing that would say so, and then no writer would send again. (Besides, a file may
   * be truncated under us, which copies survive and checksums do not.)
   */
  @Override
  public boolean losesStores() {
    return false;
  }

  @Override
  public @Nullable Check createCheck() {
    return null;
  }

  @Override
  public MemorySegment mirror() {
    return mirror;
  }

  @Override
  public long crossover() {
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    }
  }
}
