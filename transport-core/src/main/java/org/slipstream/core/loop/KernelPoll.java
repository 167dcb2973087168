package org.slipstream.core.loop;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slipstream.core.wait.WaitClock;
import org.slipstream.transport.OutOfLine;

/**
 * The JDK selector of an event loop: what the kernel knows of TCP connections and of channels that
 * are not ours, and the one place in which the loop sleeps.
 *
 * <p>Belongs to the loop's thread, except for {@link #register} and {@link #wakeSleeper}.
 *
 * @param <A> see {@link WatchedChannel#owner}
 */
final class KernelPoll<A> {
  /** The kernel is asked, at least so often, while streams are polled. */
  static final long POLL_INTERVAL_NS = 50_000;

  /** The JDK's selectors count milliseconds: what is nearer to none than to one is no sleep. */
  static final long SHORTEST_SLEEP_NS = 500_000;

  private final Selector jdk;
  private final BooleanSupplier mustNotSleep;
  private final Runnable forgotten;
  private final WaitClock clock;
  private final List<WatchedChannel<A>> reported = new ArrayList<>();
  private final Consumer<SelectionKey> collector = this::collect;
  private final Consumer<WatchedStream<A>> rung = this::rung;

  /** The loop's thread is in, or on its way into, the kernel. Written by it. */
  private volatile boolean sleeping;

  /** Keys were cancelled: the JDK frees a descriptor when the selector has forgotten its key. */
  private boolean keysCancelled;

  private long lastPoll;

  /**
   * Wraps a selector.
   *
   * @param jdk of the JDK's own provider
   * @param mustNotSleep asked when {@link #wakeSleeper} has begun to work: whether there is news
   * @param forgotten told if there was no memory to note something: any channel may have news, and
   *     the JDK's selector may have forgotten what to ask of the kernel
   * @param clock by which the kernel is asked
   */
  KernelPoll(Selector jdk, BooleanSupplier mustNotSleep, Runnable forgotten, WaitClock clock) {
    this.jdk = jdk;
    this.mustNotSleep = mustNotSleep;
    this.forgotten = forgotten;
    this.clock = clock;
    this.lastPoll = clock.now();
  }

  /**
   * Registers a channel, for no operation: the kernel is asked for some by the loop's thread, which
   * may be selecting at this moment.
   */
  SelectionKey register(SelectableChannel channel, WatchedChannel<A> watched)
      throws ClosedChannelException {
    return channel.register(jdk, 0, watched);
  }

  /** A key was cancelled; the next look is due at once. */
  void keyCancelled() {
    keysCancelled = true;
  }

  boolean hasCancelledKeys() {
    return keysCancelled;
  }

  // -- asking ----------------------------------------------------------------------------------

  /**
   * Asks the kernel, and does not wait.
   *
   * @param now of the clock, a moment ago
   */
  @OutOfLine
  void look(long now) throws IOException {
    keysCancelled = false;
    try {
      jdk.selectNow(collector);
    } catch (OutOfMemoryError e) {
      forgotten.run();
      throw e;
    }
    lastPoll = now;
  }

  /**
   * Asks the kernel if that was not done for a while.
   *
   * @param now of the clock
   * @return whether it was done
   */
  boolean pollIfDue(long now) throws IOException {
    if (now - lastPoll <= POLL_INTERVAL_NS && !keysCancelled) {
      return false;
    }
    look(now);
    return true;
  }

  /**
   * Waits in the kernel, unless there is news of ours.
   *
   * @param maxNs nanoseconds, at least {@link #SHORTEST_SLEEP_NS}; {@link Long#MAX_VALUE} = for
   *     ever
   */
  @OutOfLine
  void sleep(long maxNs) throws IOException {
    keysCancelled = false;
    sleeping = true;
    try {
      // A thread that changes something sees that we sleep, or has changed it before we look.
      if (mustNotSleep.getAsBoolean()) {
        jdk.selectNow(collector);
      } else if (maxNs == Long.MAX_VALUE) {
        jdk.select(collector);
      } else {
        jdk.select(collector, millis(maxNs));
      }
    } catch (OutOfMemoryError e) {
      forgotten.run();
      throw e;
    } finally {
      sleeping = false;
    }
    lastPoll = clock.now();
  }

  private static long millis(long nanos) {
    long rounding = nanos < Long.MAX_VALUE / 2 ? SHORTEST_SLEEP_NS : 0;
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + rounding));
  }

  @SuppressWarnings("unchecked") // attached by register
  private void collect(SelectionKey key) {
    if (key.attachment() instanceof LoopDoorbell<?> doorbell) {
      ((LoopDoorbell<A>) doorbell).drain(rung);
      return;
    }
    WatchedChannel<A> watched = (WatchedChannel<A>) key.attachment();
    int ops;
    try {
      ops = key.readyOps();
    } catch (CancelledKeyException e) {
      return; // the channel is closed at this moment; its owner removes it from the loop
    }
    note(watched, ops);
  }

  /** A record comes once, and others are behind it. */
  private void rung(WatchedStream<A> stream) {
    try {
      note(stream, WatchedChannel.RUNG);
    } catch (OutOfMemoryError e) {
      forgotten.run();
    }
  }

  /** In this order: one that has a report and is not in the list would never be dispatched. */
  private void note(WatchedChannel<A> watched, int ops) {
    reported.add(watched);
    if (!watched.report(ops)) {
      reported.removeLast(); // it was in the list
    }
  }

  /** Channels of which the kernel has said something; the dispatch clears the list. */
  List<WatchedChannel<A>> reported() {
    return reported;
  }

  boolean hasReported() {
    return !reported.isEmpty();
  }

  /** All that are registered, and not cancelled. */
  @SuppressWarnings("unchecked") // attached by register
  List<WatchedChannel<A>> registered() {
    List<WatchedChannel<A>> all = new ArrayList<>();
    for (SelectionKey key : jdk.keys()) {
      if (key.attachment() instanceof WatchedChannel<?> watched && watched.isRegistered()) {
        all.add((WatchedChannel<A>) watched);
      }
    }
    return all;
  }

  // -- waking and closing ----------------------------------------------------------------------

  /** Ends a sleep, if there is one; any thread. */
  void wakeSleeper() {
    if (sleeping) {
      jdk.wakeup();
    }
  }

  void close() throws IOException {
    jdk.close();
  }
}
