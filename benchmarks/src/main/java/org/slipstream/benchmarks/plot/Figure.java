package org.slipstream.benchmarks.plot;

import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.json.JSONObject;

/**
 * How a figure is read from a row; NaN where the row does not have it.
 *
 * @param median the figure
 * @param least the smallest of the turns
 * @param most the largest
 */
record Figure(
    ToDoubleFunction<JSONObject> median,
    ToDoubleFunction<JSONObject> least,
    ToDoubleFunction<JSONObject> most) {

  /** Members of these names, divided. */
  static Figure of(String median, String least, String most, double divisor) {
    return new Figure(
        row -> row.optDouble(median) / divisor,
        row -> row.optDouble(least) / divisor,
        row -> row.optDouble(most) / divisor);
  }

  /** The same, of these rows only. */
  Figure where(Predicate<JSONObject> which) {
    return new Figure(row -> which.test(row) ? median.applyAsDouble(row) : Double.NaN, least, most);
  }

  Point at(double x, JSONObject row) {
    return new Point(
        x,
        median.applyAsDouble(row),
        least.applyAsDouble(row),
        most.applyAsDouble(row),
        row.optBoolean("verified", true));
  }
}
