package org.slipstream.benchmarks.plot;

/**
 * A figure with its spread.
 *
 * @param x where, as the panel's {@link Positions} know it
 * @param median the figure
 * @param least of the turns behind it, or NaN if that is not known
 * @param most of the turns behind it, or NaN if that is not known
 * @param verified whether the bytes went where the row says
 */
record Point(double x, double median, double least, double most, boolean verified) {
  boolean hasSpread() {
    return Double.isFinite(least) && Double.isFinite(most);
  }

  /** The lowest value that has to be on the axis. */
  double low() {
    return hasSpread() ? Math.min(least, median) : median;
  }

  /** The highest value that has to be on the axis. */
  double high() {
    return hasSpread() ? Math.max(most, median) : median;
  }
}
