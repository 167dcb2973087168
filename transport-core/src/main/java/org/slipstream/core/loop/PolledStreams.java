package org.slipstream.core.loop;

import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.wait.WaitClock;

/**
 * The streams of one event loop that are polled, because they were active lately. All others are
 * armed.
 *
 * <p>A stream leaves only by arming and being polled once more, so no byte is ever waited for that
 * has come. Belongs to the loop's thread.
 *
 * @param <A> see {@link WatchedChannel#owner}
 */
final class PolledStreams<A> {
  /** So many misses in a row, and a stream of a busy loop becomes armed. */
  private static final int MOST_MISSES = 256;

  /** So many polls of all streams together cost as much as the wake-up that they save. */
  private static final int ROUND_POLLS = 4_096;

  /**
   * So many polls of one stream cost no more than arming it and its doorbell, which the peer pays
   * with a system call. In a crowd at work a loop is often a little early: an answer that is not
   * there in one round is there in the next. A stream that were armed for that would be armed, and
   * rung for, at each of its messages.
   */
  private static final int LEAST_MISSES = 16;

  /** With more streams than this, polling them all once is longer than a spin should be. */
  private static final int MOST_SPUN = 1_024;

  /** A stream that wants to be looked at again sooner than a selector can sleep is late by this. */
  static final long SHORTEST_WAIT_NS = 1_000_000;

  private final WaitClock clock;
  private final DoorbellSource doorbells;
  private final Selector jdk;
  private final List<WatchedStream<A>> polled = new ArrayList<>();

  /** Armed, but without space: to be polled again by the clock, because they may fall back. */
  private final List<WatchedStream<A>> starved = new ArrayList<>();

  /** When the first of the starved ones is due; valid if there is one. */
  private long starvedUntil;

  /** Made when a stream first may use it. */
  private @Nullable LoopDoorbell<A> doorbell;

  PolledStreams(WaitClock clock, DoorbellSource doorbells, Selector jdk) {
    this.clock = clock;
    this.doorbells = doorbells;
    this.jdk = jdk;
  }

  /**
   * How many polls in a row may miss before a stream of a busy loop becomes armed: the more streams
   * there are the fewer, because polling an idle one delays those that are busy; but never so few
   * that the doorbells cost more than the polls.
   *
   * @param polled how many streams are polled
   * @return misses
   */
  static int missesAllowed(int polled) {
    return Math.clamp(ROUND_POLLS / Math.max(1, polled), LEAST_MISSES, MOST_MISSES);
  }

  /**
   * Whether so many streams can be polled again and again before a sleep.
   *
   * @param polled how many streams are polled
   * @return false if the loop had better arm them all and sleep
   */
  static boolean fewEnoughToSpin(int polled) {
    return polled <= MOST_SPUN;
  }

  boolean isEmpty() {
    return polled.isEmpty();
  }

  int size() {
    return polled.size();
  }

  /** One of them; the order changes when streams leave. */
  WatchedStream<A> get(int i) {
    return polled.get(i);
  }

  /** Polls a stream from now on, if it has a link; it must be looked at before the next sleep. */
  void add(WatchedStream<A> stream) {
    if (!stream.polled && !stream.isGone() && stream.isLinked()) {
      polled.add(stream); // first: one that says so and is not there would never be looked at
      stream.polled = true;
      stream.misses = 0;
    }
  }

  /** Polls all, without side effects; true if one is ready for something that is waited for. */
  boolean anyReady() {
    for (int i = 0; i < polled.size(); i++) {
      if (polled.get(i).looksReady()) {
        return true;
      }
    }
    return false;
  }

  /** Whether data could come by itself: some stream waits for its ring. */
  boolean worthSpinning() {
    for (int i = 0; fewEnoughToSpin(polled.size()) && i < polled.size(); i++) {
      if (polled.get(i).waitsOnRing()) {
        return true;
      }
    }
    return false;
  }

  // -- arming ----------------------------------------------------------------------------------

  /**
   * Arms all streams and polls each once more.
   *
   * @param maxNs the longest sleep that the caller wants, in nanoseconds
   * @return how long it may sleep; 0 if something came
   */
  long armAll(long maxNs) {
    long limit = maxNs;
    while (!polled.isEmpty()) {
      long l = arm(polled.getLast());
      if (l == 0) {
        return 0;
      }
      limit = Math.min(limit, Math.max(l, SHORTEST_WAIT_NS));
      polled.removeLast().polled = false;
    }
    return limit;
  }

  /** Drops streams that left, and arms those that make a busy loop's round longer for nothing. */
  void armIdle() {
    int allowed = missesAllowed(polled.size());
    // From the last to the first: a hole is filled with one that was looked at already.
    for (int i = polled.size() - 1; i >= 0; i--) {
      WatchedStream<A> stream = polled.get(i);
      if (stream.isGone() || (stream.misses > allowed && arm(stream) != 0)) {
        stream.polled = false;
        WatchedStream<A> last = polled.removeLast();
        if (last != stream) {
          polled.set(i, last);
        }
      }
    }
  }

  private long arm(WatchedStream<A> stream) {
    findDoorbell(stream);
    long limit = stream.arm();
    if (limit != 0 && limit != Long.MAX_VALUE && !stream.starved) {
      long due = clock.now() + limit;
      if (starved.isEmpty() || due - starvedUntil < 0) {
        starvedUntil = due;
      }
      starved.add(stream);
      stream.starved = true;
    }
    return limit;
  }

  /** Before it is armed: whether a stream shall be woken through the pipe of the loop. */
  private void findDoorbell(WatchedStream<A> stream) {
    if (!stream.mayUsePipe()) {
      return;
    }
    LoopDoorbell<A> mine = doorbell;
    if (mine == null) {
      mine = new LoopDoorbell<>(doorbells, jdk);
      doorbell = mine;
    }
    mine.prepare(stream);
  }

  /** The stream has left the loop. */
  void left(WatchedStream<A> stream) {
    if (doorbell != null) {
      doorbell.left(stream);
    }
  }

  /** The loop has ended. */
  void close() {
    if (doorbell != null) {
      doorbell.close();
    }
  }

  // -- streams without space -------------------------------------------------------------------

  /** Before and after a sleep: streams without space are polled again. */
  void pollStarved() {
    if (starved.isEmpty()) {
      return;
    }
    for (int i = 0; i < starved.size(); i++) {
      WatchedStream<A> stream = starved.get(i);
      stream.starved = false;
      add(stream);
    }
    starved.clear();
  }

  /** For a loop that never sleeps: as {@link #pollStarved}, if one of them is due. */
  void pollStarvedIfDue(long now) {
    if (!starved.isEmpty() && now - starvedUntil >= 0) {
      pollStarved();
    }
  }
}
