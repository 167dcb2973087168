package org.slipstream.benchmarks.driver;

import java.util.Arrays;
import java.util.Collection;

/** Medians and ends of small sets of figures. */
final class Statistics {
  private static final double NORMAL_95 = 1.96;

  private Statistics() {}

  /** Returns the middle one, the mean of the middle two, or NaN of none. */
  static double median(Collection<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).toArray();
    if (sorted.length == 0) {
      return Double.NaN;
    }
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the ends of the interval that holds the median of the whole population with 95 %: the
   * sign test's, which asks nothing of the distribution. Of fewer than six figures, their ends.
   */
  static Row.Spread medianInterval(Collection<Double> figures) {
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int n = sorted.length;
    int below = Math.max(0, (int) Math.floor(n / 2.0 - NORMAL_95 * Math.sqrt(n) / 2 - 0.5));
    return n == 0
        ? new Row.Spread(Double.NaN, Double.NaN)
        : new Row.Spread(sorted[below], sorted[n - 1 - below]);
  }

  static Row.Spread spread(Collection<Double> figures) {
    return new Row.Spread(
        figures.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN),
        figures.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN));
  }
}
