package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;

/**
 * A piece of our half of a mapped file. The peer's map can not be taken away, so a piece that the
 * peer may store into is used again only when another process has the peer's half.
 */
final class FileExported implements Exported {
  private final ToLongFunction<FileExported> withdraw;
  private final int id;
  private final int entry;
  private final long offset;
  private final MemorySegment memory;
  private final boolean readOnly;

  /** The peer's epoch when it was closed; -1 while it is open. */
  private volatile long closedIn = -1;

  /**
   * A piece of our half.
   *
   * @param withdraw hides it from the peer; returns the peer process that may still store into it
   */
  FileExported(
      ToLongFunction<FileExported> withdraw,
      int id,
      int entry,
      long offset,
      MemorySegment memory,
      boolean readOnly) {
    this.withdraw = withdraw;
    this.id = id;
    this.entry = entry;
    this.offset = offset;
    this.memory = memory;
    this.readOnly = readOnly;
  }

  boolean isOpen() {
    return closedIn < 0;
  }

  /** Whether no peer can store into it any more, given the epoch of the peer's half. */
  boolean isReusable(long peerEpoch) {
    long c = closedIn;
    return c >= 0 && (readOnly || c != peerEpoch);
  }

  @Override
  public int id() {
    return id;
  }

  int entry() {
    return entry;
  }

  long offset() {
    return offset;
  }

  long size() {
    return memory.byteSize();
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void close() {
    if (isOpen()) {
      closedIn = withdraw.applyAsLong(this);
    }
  }
}
