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

  /**
   * Looks at processes that count nothing: they can not say how much took the fast path, only that
   * their streams are on it.
   *
   * @return a complaint, or nothing if all of them are on a ring and have counted nothing
   */
  default Optional<String> verifyUncounted(Collection<Long> pids) throws InterruptedException {
    return Optional.empty();
  }
}
