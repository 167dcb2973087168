package org.slipstream.benchmarks.driver;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What the counters of {@code slipstream ps} cost while nobody looks: pairs of processes with them
 * and without them take turns. Each launch is a fresh set of JVMs, since two JVMs that run the same
 * code may differ by more than the counting costs, for as long as they live. Of each, the round
 * with the best rate counts: whoever else wants a core makes a round longer, never shorter; and
 * medians are too coarse, since the clock has steps of 10 ns on some machines.
 */
public final class Counting {
  private static final double PERCENT = 100;
  private static final double SECOND = 1e9;

  private final Plan plan;
  private final int launches;
  private final PrintStream out;
  private final PrintStream err;

  /** Prepares a run; the plan's carriers are {@link Carrier#SHM_UNCOUNTED} and another. */
  public Counting(Plan plan, int launches, PrintStream out, PrintStream err) {
    this.plan = plan;
    this.launches = launches;
    this.out = out;
    this.err = err;
  }

  /** Measures and prints; returns the exit code. */
  public int run() throws InterruptedException {
    Path jar = Objects.requireNonNull(plan.slipstreamJar());
    int size = plan.sizes().getFirst();
    out.printf(
        "Round trips of %s, %s mode, with and without counting; %d launches of %d rounds of %d ms.%n",
        Figures.size(size), plan.mode().label(), launches, plan.rounds(), plan.sliceMillis());
    out.printf("%n%8s  %12s  %12s  %9s%n", "launch", "counted ns", "uncounted ns", "costs");
    List<Double> costs = new ArrayList<>();
    for (int launch = 1; launch <= launches; launch++) {
      List<Row> rows = new ArrayList<>();
      try {
        new Experiment(
                plan, PsCarrierCheck.ofJar(jar), new Progress(err, Progress.onTerminal(), plan))
            .run(rows::addAll);
      } catch (BenchmarkFailure failure) {
        err.println(failure.getMessage());
        return Benchmark.FAILED;
      }
      for (Row row : rows) {
        if (row.complaint() != null) {
          err.println(row.carrier().label() + ": " + row.complaint());
          return Benchmark.NOT_ON_RING;
        }
      }
      double with = SECOND / row(rows, Carrier.SHM).rateSpread().most();
      double without = SECOND / row(rows, Carrier.SHM_UNCOUNTED).rateSpread().most();
      double cost = PERCENT * (with / without - 1);
      costs.add(cost);
      out.printf("%8d  %12.1f  %12.1f  %+7.2f %%%n", launch, with, without, cost);
      out.flush();
    }
    Row.Spread spread = Statistics.spread(costs);
    out.printf(
        "%nCounting costs %+.2f %% of a round trip (median of the launches; %+.2f to %+.2f %%).%n",
        Statistics.median(costs), spread.least(), spread.most());
    out.flush();
    return Benchmark.OK;
  }

  private static Row row(List<Row> rows, Carrier carrier) {
    return rows.stream().filter(row -> row.carrier() == carrier).findFirst().orElseThrow();
  }
}
