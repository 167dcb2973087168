package org.slipstream.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * cost nothing here. Where they are closed soon behind it, the delay {@linkplain OfferDelay grows},
 * and where they do much in so short a life there is none. The clock stands while there is nothing
 * to offer, and nothing to learn.
 */
final class EligibleStreams {
  static final int TICK_MS = 10;

  private static final long TICK_NS = TICK_MS * 1_000_000L;

  /** Streams that are not held are offered together, so that a crowd wakes the reactor once. */
  private static final long AT_ONCE_NS = 1_000_000;

  /** What an offer was good for is known so many ticks later. */
  private static final int LESSON_TICKS = 10;

  private final Reactor reactor;
  private final Consumer<Stream> offer;
  private final OfferDelay delay;

  /** Filled by the threads of the program, emptied by the reactor. */
  private final ConcurrentLinkedQueue<Stream> queue = new ConcurrentLinkedQueue<>();

  /** Streams that were held, or offered, at one tick. */
  private static final class Batch {
    final long tick;
    final List<Stream> streams = new ArrayList<>();

    /** How many messages each had had when it was offered. */
    final List<Long> messages = new ArrayList<>();

    /** How many of the first were looked at, if there was no memory for all of them at once. */
    int done;

    Batch(long tick) {
      this.tick = tick;
    }
  }

  // The rest belongs to the reactor.
  private final Deque<Batch> held = new ArrayDeque<>();
  private final Deque<Batch> offered = new ArrayDeque<>();
  private long now;

  private final Runnable ticks = this::tick;

  /** Whether a tick is scheduled; whichever thread sets it schedules one. */
  private final AtomicBoolean ticking = new AtomicBoolean();

  /** The same of an offer at once. */
  private final AtomicBoolean hurrying = new AtomicBoolean();

  /**
   * Holds none.
   *
   * @param reactor on which they are offered
   * @param offer throws nothing, whatever is wrong with a stream, but an {@link OutOfMemoryError},
   *     behind which the stream is offered again
   * @param delay of this process
   */
  EligibleStreams(Reactor reactor, Consumer<Stream> offer, OfferDelay delay) {
    this.reactor = reactor;
    this.offer = offer;
    this.delay = delay;
  }

  /** One more. Any thread; does not block. */
  void add(Stream stream) {
    queue.add(stream);
    schedule(ticking, TICK_NS, ticks);
    if (delay.isNone()) {
      schedule(hurrying, AT_ONCE_NS, this::hurry);
    }
  }

  private void schedule(AtomicBoolean scheduled, long delayNanos, Runnable task) {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      try {
        reactor.schedule(delayNanos, task);
      } catch (OutOfMemoryError e) {
        scheduled.set(false); // the next stream does it
        throw e;
      }
    }
  }

  private void hurry() {
    hurrying.set(false);
    offerQueued();
  }

  private void offerQueued() {
    Batch due = new Batch(now);
    Stream stream;
    while ((stream = queue.peek()) != null) {
      offerIfOpen(due, stream);
      queue.remove();
    }
    keep(due);
  }

  private void tick() {
    now++;
    try {
      learn();
    } catch (OutOfMemoryError | LinkageError e) {
      // A lesson less. The JVM never loads again a class for which it once had no memory.
    }
    try {
      offerDue();
      if (delay.isNone()) {
        offerQueued();
      } else {
        hold();
      }
    } catch (OutOfMemoryError | LinkageError e) {
      // The next tick goes on where this one ended: no stream is forgotten.
    }
    if (held.isEmpty() && offered.isEmpty()) {
      ticking.set(false);
      if (queue.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    Clocks.goOn(reactor, TICK_NS, ticks);
  }

  private void hold() {
    if (queue.isEmpty()) {
      return;
    }
    Batch batch = new Batch(now);
    held.add(batch);
    Stream stream;
    while ((stream = queue.peek()) != null) {
      batch.streams.add(stream);
      queue.remove();
    }
  }

  private void offerDue() {
    Batch due = new Batch(now);
    int late = 0;
    int brief = 0;
    while (!held.isEmpty() && now - held.peek().tick >= delay.ticks()) {
      Batch batch = held.peek();
      for (; batch.done < batch.streams.size(); batch.done++) {
        Stream stream = batch.streams.get(batch.done);
        if (offerIfOpen(due, stream)) {
          continue;
        }
        if (OfferDelay.isMuch(stream.messages())) {
          late++;
        } else {
          brief++;
        }
      }
      held.remove();
    }
    keep(due);
    if (late > brief) {
      delay.learn(0, late, 0); // that the brief ones were held was right
    }
  }

  /** The many short ones are gone by now, and to look at their addresses costs exceptions. */
  private boolean offerIfOpen(Batch due, Stream stream) {
    if (!stream.isOpen()) {
      return false;
    }
    offer.accept(stream);
    due.messages.add(stream.messages());
    due.streams.add(stream);
    return true;
  }

  private void keep(Batch due) {
    if (!due.streams.isEmpty()) {
      offered.add(due);
    }
  }

  private void learn() {
    while (!offered.isEmpty() && now - offered.peek().tick >= LESSON_TICKS) {
      Batch past = offered.remove();
      int worthwhile = 0;
      int late = 0;
      int wasted = 0;
      for (int i = 0; i < past.streams.size(); i++) {
        Stream stream = past.streams.get(i);
        switch (OfferDelay.lesson(stream.isOpen(), past.messages.get(i), stream.messages())) {
          case WORTHWHILE -> worthwhile++;
          case LATE -> late++;
          case WASTED -> wasted++;
        }
      }
      delay.learn(worthwhile, late, wasted);
    }
  }
}
