package org.slipstream.core.doorbell;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;

/**
 * The word of a window on which the blocked reader of that window sleeps. Its owner loads it, and
 * every thread that wakes the reader increments it first, in this process and in the peer's. Any
 * thread; an access to a window that was unmapped throws IllegalStateException.
 */
public final class FutexWord {
  private final ByteBuffer words;
  private final long address;

  /**
   * That of a window.
   *
   * @param control its control block
   */
  public FutexWord(MemorySegment control) {
    this.words = ControlLayout.words(control);
    this.address = control.address() + ControlLayout.DOORBELL_FUTEX;
  }

  /** Its value; later loads are not moved before it. */
  int load() {
    return ControlLayout.getIntAcquire(words, ControlLayout.DOORBELL_FUTEX);
  }

  /** With a full fence. */
  void increment() {
    ControlLayout.incrementInt(words, ControlLayout.DOORBELL_FUTEX);
  }

  /** Where the kernel finds it, in this process. */
  long address() {
    return address;
  }
}
