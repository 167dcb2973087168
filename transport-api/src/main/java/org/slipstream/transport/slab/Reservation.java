package org.slipstream.transport.slab;

import java.io.IOException;
import org.slipstream.transport.MemoryBudget;

/** What one slab has taken out of the budget of the process. Safe for any thread. */
public final class Reservation {
  private final MemoryBudget budget;
  private long bytes;

  /**
   * Has nothing yet.
   *
   * @param budget of the process
   */
  public Reservation(MemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * Takes more.
   *
   * @param more bytes
   * @throws IOException over the limit; then nothing was taken
   */
  public synchronized void add(long more) throws IOException {
    if (!budget.tryReserve(more)) {
      throw new IOException("slipstream.memory.limit is reached");
    }
    bytes += more;
  }

  /**
   * Gives some back.
   *
   * @param less bytes, at most what was taken
   */
  public synchronized void remove(long less) {
    bytes -= less;
    budget.release(less);
  }

  /** Gives everything back. Idempotent. */
  public synchronized void release() {
    budget.release(bytes);
    bytes = 0;
  }
}
