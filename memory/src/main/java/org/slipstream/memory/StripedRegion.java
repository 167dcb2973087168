package org.slipstream.memory;

import java.util.List;
import java.util.Set;
import org.slipstream.transport.MemoryShortage;

/**
 * One region in parts that several owners have: units of equal size, dealt to the parts in turn, so
 * that large transfers use all owners at once. Arithmetic of this process; no owner knows of it.
 * Operations on it are those of a {@link StripedQueue}. Safe for any thread.
 *
 * <pre>
 *   bytes:   | unit 0 | unit 1 | unit 2 | unit 3 | unit 4 | ...
 *   parts:      0        1        2        0        1            of three
 * </pre>
 */
public final class StripedRegion implements AutoCloseable {
  private final List<RemoteRegion> parts;
  private final long unit;
  private final long size;
  private final Runnable onClose;

  /** Written by the threads that close it. */
  private volatile boolean closed;

  /** Whether its parts are closed, or given back; guarded by this. */
  private boolean released;

  private StripedRegion(List<RemoteRegion> parts, long unit, long size, Runnable onClose) {
    this.parts = List.copyOf(parts);
    this.unit = unit;
    this.size = size;
    this.onClose = onClose;
  }

  /**
   * Makes one of parts; it closes them when it is closed.
   *
   * @param parts in the order in which units are dealt to them; what the smallest of them has no
   *     room for is not used
   * @param unitBytes size of a unit, a multiple of 8
   * @return the region
   */
  public static StripedRegion of(List<RemoteRegion> parts, long unitBytes) {
    if (parts.isEmpty() || unitBytes <= 0 || unitBytes % Long.BYTES != 0) {
      throw new IllegalArgumentException("Stripes need a part, and units of a multiple of 8 bytes");
    }
    long least = parts.stream().mapToLong(RemoteRegion::byteSize).min().orElseThrow();
    if (least < unitBytes) {
      throw new IllegalArgumentException("A part of " + least + " bytes has no room for a unit");
    }
    long size = Math.multiplyExact(least / unitBytes * unitBytes, parts.size());
    return new StripedRegion(parts, unitBytes, size, () -> parts.forEach(RemoteRegion::release));
  }

  /**
   * Of chunks that were reserved, of which the last may be used in part.
   *
   * @param onClose gives them back; run again if there was no memory for all of it
   */
  static StripedRegion reserved(List<RemoteRegion> chunks, long size, Runnable onClose) {
    return new StripedRegion(chunks, chunks.getFirst().byteSize(), size, onClose);
  }

  /**
   * How large it is.
   *
   * @return bytes
   */
  public long byteSize() {
    return size;
  }

  /**
   * How much lies together in one part.
   *
   * @return bytes of a unit
   */
  public long unitBytes() {
    return unit;
  }

  /**
   * The parts, for {@link RemoteRegion#direct} for example.
   *
   * @return in the order in which units are dealt to them
   */
  public List<RemoteRegion> parts() {
    return parts;
  }

  /**
   * What this process may do with it.
   *
   * @return what it may do with every part
   */
  public Set<Right> rights() {
    Set<Right> all = Right.of(-1);
    parts.forEach(part -> all.retainAll(part.rights()));
    return all;
  }

  /**
   * Whether all of it can be used.
   *
   * @return {@link Status#LOST} if one part is; its other parts can be used all the same
   */
  public Status status() {
    Status worst = closed ? Status.REVOKED : Status.OK;
    for (RemoteRegion part : parts) {
      worst = worse(worst, part.status());
    }
    return worst;
  }

  /** Of two pieces of one operation: unknown fate is worse than any other. */
  static Status worse(Status a, Status b) {
    return a == Status.LOST || b == Status.OK ? a : b == Status.LOST || a == Status.OK ? b : a;
  }

  /**
   * Ends it for this process, or gives it back if it was reserved. Poll what was posted before.
   * Idempotent. While the heap is full, it is tried again for a second.
   *
   * @throws OutOfMemoryError the heap is full for longer; closed again, it is given back
   */
  @Override
  public synchronized void close() {
    closed = true;
    if (!released) {
      MemoryShortage.insist(onClose);
      released = true;
    }
  }

  // -- for the data path -----------------------------------------------------------------------

  boolean isClosed() {
    return closed;
  }

  RemoteRegion partAt(long at) {
    return parts.get((int) (at / unit % parts.size()));
  }

  /** Where a byte lies in its part. */
  long offsetAt(long at) {
    return at / unit / parts.size() * unit + at % unit;
  }

  /** How many bytes from there on lie together, of so many. */
  long togetherAt(long at, long bytes) {
    return Math.min(bytes, unit - at % unit);
  }
}
