package org.slipstream.transport.slab;

import org.slipstream.transport.MemoryShortage;

/**
 * The users of some memory of a session: it is given back once the session has ended and the last
 * user is gone, whichever comes last. Safe for any thread.
 */
public final class Uses {
  private final Runnable whenUnused;
  private int count;
  private boolean ended;

  /**
   * Begins with no user.
   *
   * @param whenUnused gives the memory back; called once, and again if there was no memory for it,
   *     by the thread that ends the last use or the session, without a lock of ours
   */
  public Uses(Runnable whenUnused) {
    this.whenUnused = whenUnused;
  }

  /**
   * One user more.
   *
   * @return false if the session has ended; then it is none
   */
  public synchronized boolean begin() {
    if (!ended) {
      count++;
    }
    return !ended;
  }

  /** One user less. */
  public void done() {
    boolean unused;
    synchronized (this) {
      count--;
      unused = ended && count == 0;
    }
    if (unused) {
      MemoryShortage.insist(whenUnused);
    }
  }

  /** The session has ended: no new users. Idempotent. */
  public void end() {
    boolean unused;
    synchronized (this) {
      unused = !ended && count == 0;
      ended = true;
    }
    if (unused) {
      MemoryShortage.insist(whenUnused);
    }
  }

  /**
   * How many users there are.
   *
   * @return not negative
   */
  public synchronized int count() {
    return count;
  }
}
