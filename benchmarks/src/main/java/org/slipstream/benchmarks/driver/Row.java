package org.slipstream.benchmarks.driver;

import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Mode;

/**
 * One line of the table; a figure that does not exist is NaN.
 *
 * @param carrier what carried the bytes
 * @param mode how the programs waited
 * @param size bytes of a message
 * @param p50 nanoseconds of an exchange: median of the rounds' medians
 * @param p99 nanoseconds, of all rounds together
 * @param p999 nanoseconds, of all rounds together
 * @param perSecond exchanges a second: median of the rounds
 * @param bytesPerSecond message bytes a second, one way
 * @param rounds how many turns are behind these figures
 * @param p50Spread the rounds' smallest and largest median
 * @param rateSpread the rounds' smallest and largest rate
 * @param cpuNanos CPU time of both processes for each exchange
 * @param toTcp how many times better than TCP: median of the rounds' ratios
 * @param toRaw how many times better than the raw ring, so at most about 1
 * @param complaint why this row is not what it claims to be, or null
 */
record Row(
    Carrier carrier,
    Mode mode,
    int size,
    double p50,
    double p99,
    double p999,
    double perSecond,
    double bytesPerSecond,
    int rounds,
    Spread p50Spread,
    Spread rateSpread,
    double cpuNanos,
    double toTcp,
    double toRaw,
    @Nullable String complaint) {

  /**
   * The ends of a set of figures.
   *
   * @param least the smallest
   * @param most the largest
   */
  record Spread(double least, double most) {}
}
