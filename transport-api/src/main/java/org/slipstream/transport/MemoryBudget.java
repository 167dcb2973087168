package org.slipstream.transport;

import java.util.concurrent.atomic.AtomicLong;

/** A process-wide limit on the memory of receive windows, in bytes. Safe for any thread. */
public final class MemoryBudget {
  /** What lies in the caches of a processor, more or less. */
  private static final long PLENTY_BYTES = 16 << 20;

  /** The share of the limit that may be used for the sake of speed. */
  private static final int PLENTY_SHARE = 8;

  private final long limitBytes;
  private final AtomicLong used = new AtomicLong();

  /**
   * Makes a budget.
   *
   * @param limitBytes the most that may be reserved at any time
   */
  public MemoryBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /**
   * Takes some of it.
   *
   * @param bytes how much
   * @return false if that would exceed the limit; then nothing was taken
   */
  public boolean tryReserve(long bytes) {
    if (used.addAndGet(bytes) <= limitBytes) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  /**
   * Gives some of it back.
   *
   * @param bytes how much, at most what was reserved
   */
  public void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /**
   * What is reserved now.
   *
   * @return bytes
   */
  public long usedBytes() {
    return used.get();
  }

  /**
   * Whether so little is reserved that a window may have more than its stream needs.
   *
   * @return false if others could miss it, or would be slower for it
   */
  public boolean hasPlenty() {
    return used.get() <= Math.min(PLENTY_BYTES, limitBytes / PLENTY_SHARE);
  }

  /**
   * The limit.
   *
   * @return bytes
   */
  public long limitBytes() {
    return limitBytes;
  }
}
