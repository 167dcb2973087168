package org.slipstream.benchmarks.driver;

import java.util.Arrays;
import java.util.Collection;

/** Medians and ends of small sets of figures. */
final class Statistics {
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

  static Row.Spread spread(Collection<Double> figures) {
    return new Row.Spread(
        figures.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN),
        figures.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN));
  }
}
