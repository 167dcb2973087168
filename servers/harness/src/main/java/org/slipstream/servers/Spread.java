package org.slipstream.servers;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.slipstream.servers.Rounds.Turn;

/**
 * A figure over the turns of an arm; NaN if a turn does not have it.
 *
 * @param median of the turns
 * @param least of them
 * @param most of them
 */
record Spread(double median, double least, double most) {
  static Spread of(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    return of(turns.stream().mapToDouble(figure).toArray());
  }

  static Spread of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double most = sorted[sorted.length - 1];
    // NaN sorts behind all numbers.
    return Double.isNaN(most)
        ? new Spread(most, most, most)
        : new Spread(median(sorted), sorted[0], most);
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
