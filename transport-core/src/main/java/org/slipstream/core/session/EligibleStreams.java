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
 * cost nothing here. Where they are closed soon behind it, the delay {@linkplain OfferDelay grows}.
 * The clock stands while there is nothing to offer, and nothing to learn.
 */
final class EligibleStreams {
  static final int TICK_MS = 10;

  private static final long TICK_NS = TICK_MS * 1_000_000L;

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

    Batch(long tick) {
      this.tick = tick;
    }
  }

  // The rest belongs to the reactor.
  private final Deque<Batch> held = new ArrayDeque<>();
  private final Deque<Batch> offered = new ArrayDeque<>();
  private long now;

  /** Whether a tick is scheduled; whichever thread sets it schedules one. */
  private final AtomicBoolean ticking = new AtomicBoolean();

  /**
   * Holds none.
   *
   * @param reactor on which they are offered
   * @param offer throws nothing, whatever is wrong with a stream
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
    if (ticking.compareAndSet(false, true)) {
      reactor.schedule(TICK_NS, this::tick);
    }
  }

  private void tick() {
    now++;
    learn();
    offerDue();
    hold();
    if (held.isEmpty() && offered.isEmpty()) {
      ticking.set(false);
      if (queue.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    reactor.schedule(TICK_NS, this::tick);
  }

  private void hold() {
    Batch batch = new Batch(now);
    Stream stream;
    while ((stream = queue.poll()) != null) {
      batch.streams.add(stream);
    }
    if (!batch.streams.isEmpty()) {
      held.add(batch);
    }
  }

  private void offerDue() {
    Batch due = new Batch(now);
    while (!held.isEmpty() && now - held.peek().tick >= delay.ticks()) {
      for (Stream stream : held.remove().streams) {
        // The many short ones are gone by now, and to look at their addresses costs exceptions.
        if (stream.isOpen()) {
          due.streams.add(stream);
          due.messages.add(stream.messages());
          offer.accept(stream);
        }
      }
    }
    if (!due.streams.isEmpty()) {
      offered.add(due);
    }
  }

  private void learn() {
    while (!offered.isEmpty() && now - offered.peek().tick >= LESSON_TICKS) {
      Batch past = offered.remove();
      int worthwhile = 0;
      for (int i = 0; i < past.streams.size(); i++) {
        Stream stream = past.streams.get(i);
        long since = stream.messages() - past.messages.get(i);
        if (stream.isOpen() || since >= OfferDelay.WORTHWHILE_MESSAGES) {
          worthwhile++;
        }
      }
      delay.learn(worthwhile, past.streams.size() - worthwhile);
    }
  }
}
