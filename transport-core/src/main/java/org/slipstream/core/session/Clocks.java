package org.slipstream.core.session;

import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.Reactor;

/** Tasks of the reactor that schedule themselves again: one that is not would be the last one. */
final class Clocks {
  private Clocks() {}

  /**
   * Schedules the next run, however long there is no memory for it. Reactor.
   *
   * @param delayNs until then, in nanoseconds
   */
  static void goOn(Reactor reactor, long delayNs, Runnable task) {
    while (true) {
      try {
        reactor.schedule(delayNs, task);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }
}
