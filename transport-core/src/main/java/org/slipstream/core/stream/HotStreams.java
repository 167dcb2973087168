package org.slipstream.core.stream;

import java.util.ArrayList;
import java.util.List;

/**
 * The streams of one event loop whose rings are looked at directly, because they were active
 * lately. All others are <em>cold</em>: armed, and found by the kernel through their anchors.
 *
 * <p>A stream leaves only by arming and looking once more, so no byte is ever waited for that has
 * come. Belongs to the loop's thread.
 *
 * @param <A> see {@link StreamWatch#attachment}
 */
public final class HotStreams<A> {
  /** So many fruitless looks in a row, and a stream of a busy loop becomes cold. */
  private static final int IDLE_LOOKS = 256;

  /** So many looks at all hot streams together cost as much as the wake-up that they save. */
  private static final int ROUND_LOOKS = 4_096;

  /** With more streams than this, one look at all of them is longer than a spin should be. */
  private static final int MOST_SPUN = 1_024;

  private final List<StreamWatch<A>> hot = new ArrayList<>();

  /** Cold, but out of credit: looked at after every sleep. */
  private final List<StreamWatch<A>> starved = new ArrayList<>();

  /** Makes an empty list. */
  public HotStreams() {}

  /**
   * How often in a row a stream of a busy loop is looked at in vain before it becomes cold: the
   * more there are, the sooner, because each look at an idle one delays those that are busy.
   *
   * @param hot how many streams are hot
   * @return fruitless looks; 0 with very many
   */
  public static int patience(int hot) {
    return Math.min(IDLE_LOOKS, ROUND_LOOKS / Math.max(1, hot));
  }

  /**
   * Whether so many streams can be looked at again and again before a sleep.
   *
   * @param hot how many streams are hot
   * @return false if the loop had better arm them all and sleep
   */
  public static boolean fewEnoughToSpin(int hot) {
    return hot <= MOST_SPUN;
  }

  /**
   * Whether there is nothing to look at.
   *
   * @return true if the kernel alone tells everything
   */
  public boolean isEmpty() {
    return hot.isEmpty();
  }

  /**
   * How many streams are hot.
   *
   * @return the count
   */
  public int size() {
    return hot.size();
  }

  /**
   * One of them; the order changes when streams are removed.
   *
   * @param i below {@link #size}
   * @return the watch
   */
  public StreamWatch<A> get(int i) {
    return hot.get(i);
  }

  /**
   * Makes a stream hot if it has a link; it must be looked at before the next sleep.
   *
   * @param watch hot already, or not
   */
  public void add(StreamWatch<A> watch) {
    if (!watch.hot && !watch.gone && watch.isLinked()) {
      watch.hot = true;
      watch.idleLooks = 0;
      hot.add(watch);
    }
  }

  /**
   * The stream leaves the loop for good. It stays in the list, unused, until {@link #coolIdle}.
   *
   * @param watch hot or not
   */
  public void remove(StreamWatch<A> watch) {
    watch.gone = true;
  }

  /**
   * Counts a look at a stream.
   *
   * @param watch hot or not
   * @param fruitful whether it was ready
   */
  public void looked(StreamWatch<A> watch, boolean fruitful) {
    watch.idleLooks = fruitful ? 0 : watch.idleLooks + 1;
  }

  /**
   * Looks at all rings, without side effects.
   *
   * @return true if one of them is ready for something that is waited for
   */
  public boolean anyReady() {
    for (int i = 0; i < hot.size(); i++) {
      if (hot.get(i).looksReady()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether data could come by itself: somebody is waited for on a ring.
   *
   * @return false if only a kernel event or a wake-up can end the wait
   */
  public boolean worthSpinning() {
    for (int i = 0; fewEnoughToSpin(hot.size()) && i < hot.size(); i++) {
      if (hot.get(i).waitsOnRing()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Arms all streams and looks at each once more.
   *
   * @param maxNs the longest sleep that the caller wants, in nanoseconds
   * @return how long it may sleep; 0 if something came
   */
  public long cool(long maxNs) {
    long limit = maxNs;
    while (!hot.isEmpty()) {
      long l = arm(hot.getLast());
      if (l == 0) {
        return 0;
      }
      limit = Math.min(limit, l);
      hot.removeLast().hot = false;
    }
    return limit;
  }

  /** Drops streams that left, and cools those that make a busy loop's round longer for nothing. */
  public void coolIdle() {
    int patience = patience(hot.size());
    for (int i = hot.size() - 1; i >= 0; i--) {
      StreamWatch<A> watch = hot.get(i);
      if (watch.gone || (watch.idleLooks > patience && arm(watch) != 0)) {
        watch.hot = false;
        StreamWatch<A> last = hot.removeLast();
        if (last != watch) {
          hot.set(i, last);
        }
      }
    }
  }

  private long arm(StreamWatch<A> watch) {
    long limit = watch.arm();
    if (limit != 0 && limit != Long.MAX_VALUE && !watch.starved) {
      watch.starved = true;
      starved.add(watch);
    }
    return limit;
  }

  /** After a sleep: streams that were out of credit are looked at again. */
  public void rewarm() {
    for (int i = 0; i < starved.size(); i++) {
      StreamWatch<A> watch = starved.get(i);
      watch.starved = false;
      add(watch);
    }
    starved.clear();
  }
}
