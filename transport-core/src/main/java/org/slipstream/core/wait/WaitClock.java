package org.slipstream.core.wait;

/**
 * The clock by which waits are measured; a test of the rules holds one of its own. A class and not
 * an interface: while no other one is loaded, a call is {@link System#nanoTime} itself.
 */
public class WaitClock {
  /** The machine's clock. */
  public static final WaitClock SYSTEM = new WaitClock();

  /** For a clock of a test. */
  protected WaitClock() {}

  /**
   * The time.
   *
   * @return nanoseconds since some moment
   */
  public long now() {
    return System.nanoTime();
  }

  /** Offers the core to another thread, for as long as the scheduler likes. */
  public void yieldCore() {
    Thread.yield();
  }
}
