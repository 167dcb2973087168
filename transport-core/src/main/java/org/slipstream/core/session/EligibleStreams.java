package org.slipstream.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Reactor;

/**
 * Streams that are eligible, until they are offered: those that live on for ten milliseconds. An
 * offer costs both ends some exchanges, and in a young process, which has to compile what it does,
 * a thousand; most streams of a program that connects for each request are closed before that, and
 * cost nothing here. The clock stands while there are none.
 */
final class EligibleStreams {
  /** A stream is offered at the second tick: 10 to 20 ms after it has become eligible. */
  private static final long TICK_NS = 10_000_000;

  private final Reactor reactor;
  private final Consumer<Stream> offer;

  /** Filled by the threads of the program, emptied by the reactor. */
  private final ConcurrentLinkedQueue<Stream> queue = new ConcurrentLinkedQueue<>();

  /** Open at the last tick, their first. Belongs to the reactor. */
  private List<Stream> waiting = new ArrayList<>();

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
    List<Stream> due = waiting;
    waiting = new ArrayList<>();
    Stream stream;
    while ((stream = queue.poll()) != null) {
      waiting.add(stream);
    }
    for (Stream one : due) {
      // The many short ones are gone by now, and to look at their addresses costs exceptions.
      if (one.isOpen()) {
        offer.accept(one);
      }
    }
    if (waiting.isEmpty()) {
      ticking.set(false);
      if (queue.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    reactor.schedule(TICK_NS, this::tick);
  }
}
