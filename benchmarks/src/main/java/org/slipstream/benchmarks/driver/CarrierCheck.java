package org.slipstream.benchmarks.driver;

import java.util.Collection;
import java.util.Optional;

/** Asks the measured processes themselves whether their bytes really took the fast path. */
@FunctionalInterface
interface CarrierCheck {
  /**
   * Looks at what has travelled since the last call for these processes, or since their start.
   *
   * @return a complaint, or nothing if all of it travelled over the ring
   */
  Optional<String> verify(Collection<Long> pids) throws InterruptedException;
}
