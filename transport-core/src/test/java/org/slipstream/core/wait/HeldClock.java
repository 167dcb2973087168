package org.slipstream.core.wait;

/** A clock that stands still until the test moves it. */
public final class HeldClock extends WaitClock {
  private long now = 1;

  @Override
  public long now() {
    return now;
  }

  /** Time passes. */
  public void passes(long nanos) {
    now += nanos;
  }
}
