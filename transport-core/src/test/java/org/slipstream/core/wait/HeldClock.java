package org.slipstream.core.wait;

/** A clock that stands still until the test moves it. */
final class HeldClock extends WaitClock {
  private long now = 1;

  @Override
  long now() {
    return now;
  }

  void passes(long nanos) {
    now += nanos;
  }
}
