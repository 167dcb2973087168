package org.slipstream.benchmarks.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Report;

/** Makes the rows of one size from its rounds. */
final class Summary {
  private final Plan plan;

  Summary(Plan plan) {
    this.plan = plan;
  }

  /** Returns one row for each carrier; the n-th rounds of all carriers were neighbours in time. */
  List<Row> rows(int size, Map<Carrier, List<Round>> rounds, Map<Carrier, String> complaints) {
    List<Row> rows = new ArrayList<>();
    for (Map.Entry<Carrier, List<Round>> entry : rounds.entrySet()) {
      List<Round> own = entry.getValue();
      rows.add(
          row(
              entry.getKey(),
              size,
              own,
              ratio(own, rounds.get(plan.baseline())),
              ratio(own, rounds.get(Carrier.RAW)),
              complaints.get(entry.getKey())));
    }
    return rows;
  }

  private Row row(
      Carrier carrier,
      int size,
      List<Round> rounds,
      double toTcp,
      double toRaw,
      @Nullable String complaint) {
    Histogram all = Report.newHistogram();
    rounds.forEach(round -> all.add(round.histogram()));
    List<Double> medians = rounds.stream().map(round -> (double) round.median()).toList();
    List<Double> rates = rounds.stream().map(Round::perSecond).toList();
    double p50 = Statistics.median(medians);
    // A median of medians can lie above the percentiles of all when the rounds differ wildly.
    double p99 = Math.max(p50, (double) all.getValueAtPercentile(99));
    double p999 = Math.max(p99, (double) all.getValueAtPercentile(99.9));
    double perSecond = Statistics.median(rates);
    return new Row(
        carrier,
        plan.mode(),
        size,
        p50,
        p99,
        p999,
        perSecond,
        perSecond * size,
        rounds.size(),
        Statistics.spread(medians),
        Statistics.spread(rates),
        cpuNanos(rounds),
        toTcp,
        toRaw,
        complaint);
  }

  /** Ticks are coarse, so only the sums over all rounds are divided. */
  private static double cpuNanos(List<Round> rounds) {
    if (rounds.stream().anyMatch(round -> round.cpuNanos() < 0)) {
      return Double.NaN;
    }
    return rounds.stream().mapToDouble(Round::cpuNanos).sum()
        / rounds.stream().mapToLong(Round::exchanges).sum();
  }

  private double ratio(List<Round> own, @Nullable List<Round> others) {
    if (others == null) {
      return Double.NaN;
    }
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(own.size(), others.size()); i++) {
      ratios.add(ratio(own.get(i), others.get(i)));
    }
    return Statistics.median(ratios);
  }

  /** Where a rate is the goal, rates are compared; otherwise typical times. */
  private double ratio(Round own, Round other) {
    return comparesRates(plan)
        ? own.perSecond() / other.perSecond()
        : (double) other.median() / own.median();
  }

  static boolean comparesRates(Plan plan) {
    return plan.exercise() == Exercise.STREAM || plan.pairs() > 1;
  }
}
