package org.slipstream.core.api;

import java.util.function.ToLongFunction;

/** What one direction of a stream is doing: a snapshot. */
@SuppressWarnings("EnumOrdinal") // an index in this array alone, and cheaper than an EnumMap
public final class Flow {
  private static final int COUNTERS = Counter.values().length;

  private final boolean onRing;
  private final long[] values = new long[COUNTERS];

  /**
   * Takes a snapshot.
   *
   * @param onRing whether the direction travels in the ring now
   * @param source asked once for each of {@link Counter#OF_DIRECTION}
   */
  public Flow(boolean onRing, ToLongFunction<Counter> source) {
    this.onRing = onRing;
    for (Counter counter : Counter.OF_DIRECTION) {
      values[counter.ordinal()] = source.applyAsLong(counter);
    }
  }

  /**
   * Whether it travels in the ring.
   *
   * @return false while it is on the TCP connection
   */
  public boolean onRing() {
    return onRing;
  }

  /**
   * A number.
   *
   * @param counter which one
   * @return 0 if a direction does not have it
   */
  public long get(Counter counter) {
    return values[counter.ordinal()];
  }
}
