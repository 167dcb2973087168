package org.slipstream.it.process;

import java.util.concurrent.atomic.AtomicInteger;

/** Ends what has been begun before, and nothing that is begun later. Any thread. */
final class Enough {
  private static final AtomicInteger SAID = new AtomicInteger();

  private final int before = SAID.get();

  /** To all that work now. */
  static void say() {
    SAID.incrementAndGet();
  }

  /** Whether it was said since this one was made. */
  boolean said() {
    return SAID.get() != before;
  }
}
