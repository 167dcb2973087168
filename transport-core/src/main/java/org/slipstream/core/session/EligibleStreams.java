package org.slipstream.core.session;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Reactor;

/**
 * Streams that are eligible, until they are offered: all of one millisecond together, because many
 * are closed before that and cost nothing then. The clock stands while there are none.
 */
final class EligibleStreams {
  private static final long TICK_NS = 1_000_000;

  private final Reactor reactor;
  private final Consumer<Stream> offer;

  /** Filled by the threads of the program, emptied by the reactor. */
  private final ConcurrentLinkedQueue<Stream> queue = new ConcurrentLinkedQueue<>();

  /** Whether a tick is scheduled; whichever thread sets it schedules one. */
  private final AtomicBoolean ticking = new AtomicBoolean();

  /**
   * Holds none.
   *
   * @param reactor on which they are offered
   * @param offer throws nothing, whatever is wrong with a stream
   */
  EligibleStreams(Reactor reactor, Consumer<Stream> offer) {
    this.reactor = reactor;
    this.offer = offer;
  }

  /** One more. Any thread; does not block. */
  void add(Stream stream) {
    queue.add(stream);
    if (ticking.compareAndSet(false, true)) {
      reactor.schedule(TICK_NS, this::tick);
    }
  }

  private void tick() {
    boolean any = false;
    Stream stream;
    while ((stream = queue.poll()) != null) {
      any = true;
      // The many short ones are gone by now, and to look at their addresses costs exceptions.
      if (stream.isOpen()) {
        offer.accept(stream);
      }
    }
    if (!any) {
      ticking.set(false);
      if (queue.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    reactor.schedule(TICK_NS, this::tick);
  }
}
