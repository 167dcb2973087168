package org.slipstream.transport.slab;

import java.util.BitSet;

/**
 * Which slots of a slab are free. The lowest is handed out first: its pages are warm, and the end
 * of the slab stays free of windows. Safe for any thread.
 */
public final class Slots {

  /** Guarded by this, as is {@link #withdrawn}. */
  private final BitSet free = new BitSet();

  private final Uses uses;
  private boolean withdrawn;

  /**
   * All are free.
   *
   * @param count how many there are
   * @param whenUnused gives the memory back, when the session has ended and no slot is in use
   */
  public Slots(int count, Runnable whenUnused) {
    free.set(0, count);
    uses = new Uses(whenUnused);
  }

  /**
   * Takes one. What it holds is left from its last use.
   *
   * @return its number; -1 if there is none, or no more are handed out
   */
  public synchronized int take() {
    int slot = withdrawn ? -1 : free.nextSetBit(0);
    if (slot < 0 || !uses.begin()) {
      return -1;
    }
    free.clear(slot);
    return slot;
  }

  /**
   * Ends the use of one.
   *
   * @param slot from {@link #take}
   * @param reusable false if a store of the peer may still be under way: then it is not handed out
   *     again before {@link #reuse}
   */
  public void giveBack(int slot, boolean reusable) {
    if (reusable) {
      reuse(slot);
    }
    uses.done();
  }

  /**
   * A slot that was given back as not reusable may be handed out again.
   *
   * @param slot its number
   */
  public synchronized void reuse(int slot) {
    free.set(slot);
  }

  /** No more are handed out: the peer can not map the slab. */
  public synchronized void withdraw() {
    withdrawn = true;
  }

  /**
   * Whether the slab serves no purpose any more, while the session goes on.
   *
   * @return true if none is in use or ever will be
   */
  public synchronized boolean areUseless() {
    return withdrawn && uses.count() == 0;
  }

  /**
   * Those that are free now.
   *
   * @return a copy
   */
  public synchronized BitSet free() {
    return (BitSet) free.clone();
  }

  /**
   * How many are in use.
   *
   * @return not negative
   */
  public int inUse() {
    return uses.count();
  }

  /** The session has ended: the memory goes when the last slot is given back. Idempotent. */
  public void end() {
    uses.end();
  }
}
