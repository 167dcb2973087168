package org.slipstream.core.api;

import java.util.Arrays;

/** What one direction of a stream is doing: a snapshot; or the sum of several. */
@SuppressWarnings("EnumOrdinal") // an index in this array alone, and cheaper than an EnumMap
public final class Flow {
  private static final int NUMBERS = Counter.OF_DIRECTION.size();

  /** Where a counter is among those of a direction; -1 if a direction does not have it. */
  private static final int[] PLACES = places();

  private final boolean onRing;
  private final long[] numbers;

  /**
   * Takes a snapshot. Made when any stream is closed, so without a loop over the counters.
   *
   * @param onRing whether the direction travels in the ring now
   * @param numbers in the order of {@link Counter#OF_DIRECTION}; those that are left out are 0
   */
  public Flow(boolean onRing, long... numbers) {
    this.onRing = onRing;
    this.numbers = numbers.length == NUMBERS ? numbers : Arrays.copyOf(numbers, NUMBERS);
  }

  private static int[] places() {
    int[] places = new int[Counter.values().length];
    for (Counter counter : Counter.values()) {
      places[counter.ordinal()] = Counter.OF_DIRECTION.indexOf(counter);
    }
    return places;
  }

  /**
   * The sum of two.
   *
   * @param other is not changed, as this is not
   * @return travels in the ring if both do
   */
  public Flow plus(Flow other) {
    long[] sums = numbers.clone();
    for (int i = 0; i < sums.length; i++) {
      sums[i] += other.numbers[i];
    }
    return new Flow(onRing && other.onRing, sums);
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
    int place = PLACES[counter.ordinal()];
    return place < 0 ? 0 : numbers[place];
  }
}
