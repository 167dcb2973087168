package org.slipstream.core.session;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Reactor;

/**
 * Looks after what other processes see of this one. It may be removed while the process runs, and
 * an idle process sleeps with no timer; so the transports look whenever a peer may be about to
 * search: a stream was just accepted, or is to be offered.
 */
final class Visibility {
  /** A server that accepts all the time looks no more often. */
  static final long PAUSE_NS = 10_000_000;

  private final List<Endpoint> endpoints;
  private final Reactor reactor;
  private final LongSupplier clock;

  /** When it was looked last because of an accepted stream; the thread that accepted writes it. */
  private final AtomicLong looked;

  /**
   * Looks at nothing yet.
   *
   * @param endpoints of the process; read when it looks
   * @param reactor on which it looks for accepting threads
   * @param clock nanoseconds
   */
  Visibility(List<Endpoint> endpoints, Reactor reactor, LongSupplier clock) {
    this.endpoints = endpoints;
    this.reactor = reactor;
    this.clock = clock;
    this.looked = new AtomicLong(clock.getAsLong() - PAUSE_NS);
  }

  /** A stream was accepted, whose peer searches for this process at its first exchanges. */
  void accepted() {
    long now = clock.getAsLong();
    long before = looked.get();
    if (now - before >= PAUSE_NS && looked.compareAndSet(before, now)) {
      reactor.execute(this::look);
    }
  }

  /** Has everything made again that is gone. Reactor only. */
  void look() {
    endpoints.forEach(Endpoint::beVisible);
  }
}
