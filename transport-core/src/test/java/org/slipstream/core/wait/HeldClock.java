package org.slipstream.core.wait;

/** A clock that stands still until the test moves it. */
public final class HeldClock extends WaitClock {
  private long now = 1;

  @Override
  public long now() {
    return now;
  }

  /** Takes no time: on a busy machine a real one would take milliseconds, of each of many. */
  @Override
  public void yieldCore() {}

  /** Time passes. */
  public void passes(long nanos) {
    now += nanos;
  }
}
