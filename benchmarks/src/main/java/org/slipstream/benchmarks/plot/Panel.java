package org.slipstream.benchmarks.plot;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One coordinate system.
 *
 * @param title what it shows
 * @param unit of the vertical axis
 * @param logarithmic whether that axis is; otherwise it begins at zero
 * @param positions the horizontal axis
 * @param series one for each entry of the legend, without points if it has none here
 */
record Panel(
    String title, String unit, boolean logarithmic, Positions positions, List<Series> series) {
  Scale scale() {
    double[] low = points(Point::low);
    double[] high = points(Point::high);
    return logarithmic ? Scale.logarithmic(low, high) : Scale.fromZero(high);
  }

  private double[] points(ToDoubleFunction<Point> end) {
    return series.stream().flatMap(s -> s.points().stream()).mapToDouble(end).toArray();
  }

  boolean isEmpty() {
    return series.stream().allMatch(s -> s.points().isEmpty());
  }

  /** The words at the head of the vertical axis. */
  String axis() {
    return unit + (logarithmic ? " (logarithmic)" : " (from zero)");
  }
}
