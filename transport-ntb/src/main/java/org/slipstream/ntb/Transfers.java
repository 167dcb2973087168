package org.slipstream.ntb;

/**
 * The transfers of one writer that an engine carries out while the writer copies its next bytes,
 * two at most. Each has ended before the position behind its bytes is published; bytes that did not
 * arrive are stored by the processor then. Guarded by the stream's write lock.
 */
final class Transfers {
  private static final int MOST = 2;

  /** Stores bytes of the mirror by the processor. */
  @FunctionalInterface
  interface Fallback {
    /** Stores a range of the ring. */
    void store(long offset, long length);
  }

  private final Imported imported;
  private final long ringOffset;
  private final Fallback fallback;

  // The oldest first.
  private final int[] channels = new int[MOST];
  private final long[] offsets = new long[MOST];
  private final long[] lengths = new long[MOST];
  private int count;

  /** Where the next bytes go if they follow what was begun last. */
  private long end;

  /**
   * Nothing is under way.
   *
   * @param ringOffset where the ring lies in the import
   */
  Transfers(Imported imported, long ringOffset, Fallback fallback) {
    this.imported = imported;
    this.ringOffset = ringOffset;
    this.fallback = fallback;
  }

  /**
   * Gives a range of the ring to an engine. Waits for the oldest transfer if there are two.
   *
   * @return false if no engine is free: the caller stores the bytes
   */
  boolean begin(long offset, long length) {
    if (count == MOST) {
      endOldest();
    }
    int channel = imported.begin(ringOffset + offset, length);
    if (channel < 0) {
      return false;
    }
    channels[count] = channel;
    offsets[count] = offset;
    lengths[count] = length;
    count++;
    return true;
  }

  /**
   * To be called before bytes are pushed: a caller whose source failed in the middle pushes the
   * same place again, and a transfer of what was there before must not come behind that.
   */
  void beforePush(long offset, long length, long ringBytes) {
    if (count > 0 && offset != end) {
      endAll();
    }
    end = offset + length & ringBytes - 1;
  }

  /** Returns when nothing is under way. */
  void endAll() {
    while (count > 0) {
      endOldest();
    }
  }

  private void endOldest() {
    boolean arrived = imported.end(channels[0]);
    long offset = offsets[0];
    long length = lengths[0];
    count--;
    for (int i = 0; i < count; i++) {
      channels[i] = channels[i + 1];
      offsets[i] = offsets[i + 1];
      lengths[i] = lengths[i + 1];
    }
    if (!arrived) {
      fallback.store(offset, length);
    }
  }
}
