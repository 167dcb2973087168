package org.slipstream.core.wait;

/**
 * The clock by which waits are measured; a test of the rules holds one of its own. A class and not
 * an interface: while no other one is loaded, a call is {@link System#nanoTime} itself.
 */
class WaitClock {
  static final WaitClock SYSTEM = new WaitClock();

  /** Nanoseconds since some moment. */
  long now() {
    return System.nanoTime();
  }
}
