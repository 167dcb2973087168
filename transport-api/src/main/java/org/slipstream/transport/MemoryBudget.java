package org.slipstream.transport;

import java.util.concurrent.atomic.AtomicLong;

/** A process-wide limit on the memory of receive windows, in bytes. Safe for any thread. */
public final class MemoryBudget {
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
   * The limit.
   *
   * @return bytes
   */
  public long limitBytes() {
    return limitBytes;
  }
}
