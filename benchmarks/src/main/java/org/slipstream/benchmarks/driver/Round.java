package org.slipstream.benchmarks.driver;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.slipstream.benchmarks.programs.Report;

/**
 * What a team saw in one turn.
 *
 * @param histogram nanoseconds of each exchange, of all pairs
 * @param perSecond exchanges a second, of all pairs together
 * @param cpuNanos CPU time of all processes, or -1 if unknown
 * @param exchanges all exchanges during that CPU time
 */
record Round(Histogram histogram, double perSecond, long cpuNanos, long exchanges) {
  private static final double SECOND = 1e9;

  static Round of(List<Report> reports, long cpuNanos) {
    Histogram merged = Report.newHistogram();
    double perSecond = 0;
    long exchanges = 0;
    for (Report report : reports) {
      merged.add(report.histogram());
      perSecond += report.count() * SECOND / report.nanos();
      exchanges += report.exchanges();
    }
    return new Round(merged, perSecond, cpuNanos, exchanges);
  }

  long median() {
    return histogram.getValueAtPercentile(50);
  }
}
