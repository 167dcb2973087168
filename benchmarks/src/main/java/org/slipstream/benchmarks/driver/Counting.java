package org.slipstream.benchmarks.driver;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.OneThread;

/**
 * What the counters of {@code slipstream ps} cost while no tool looks, in nanoseconds: a process
 * with them and one without them take turns. Each has both ends of a stream in one thread, so no
 * thread waits, and nothing but the calls takes time. That is compared with a round trip between
 * two processes of the same run, which makes the same calls one after the other.
 *
 * <p>Each launch is a fresh pair of JVMs, since two JVMs that run the same code may differ by more
 * than the counting costs, for as long as they live. Of each, the best turn counts: what else wants
 * the core makes a turn longer, never shorter.
 */
public final class Counting {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final double PERCENT = 100;
  private static final double SECOND = 1e9;

  /** What part of a round trip counting may cost. */
  private static final double GOAL = 0.01;

  /** About ten milliseconds. */
  private static final int TRIPS = 40_000;

  /** Turns of each process in a launch, and before: while the compiler is at work. */
  private static final int TURNS = 60;

  /** With fewer launches there is no interval. */
  private static final int LEAST_LAUNCHES = 6;

  private final Plan plan;
  private final Path jar;
  private final int bytes;
  private final Duration time;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * Prepares a run.
   *
   * @param plan of the round trips between two processes, over {@link Carrier#SHM}
   * @param time how long fresh pairs are compared
   */
  public Counting(Plan plan, Duration time, PrintStream out, PrintStream err) {
    this.plan = plan;
    this.jar = Objects.requireNonNull(plan.slipstreamJar());
    this.bytes = plan.sizes().getFirst();
    this.time = time;
    this.out = out;
    this.err = err;
  }

  /** Measures and prints; returns the exit code. */
  public int run() throws InterruptedException {
    List<Double> costs = new ArrayList<>();
    double roundTrip;
    try (Uncounted uncounted = Uncounted.of(jar)) {
      roundTrip = roundTrip();
      out.printf(
          "Round trips of %s within one thread, with and without counting.%n", Figures.size(bytes));
      out.printf("%n%8s  %12s  %12s  %9s%n", "launch", "counted ns", "uncounted ns", "costs ns");
      long end = System.nanoTime() + time.toNanos();
      while (costs.size() < LEAST_LAUNCHES || System.nanoTime() - end < 0) {
        double[] best = launch(uncounted, costs.size() % 2 == 0);
        costs.add(best[0] - best[1]);
        out.printf(
            "%8d  %12.1f  %12.1f  %+9.2f%n", costs.size(), best[0], best[1], best[0] - best[1]);
        out.flush();
      }
    } catch (IOException unreadable) {
      err.println("The agent's classes could not be changed: " + unreadable.getMessage());
      return Benchmark.FAILED;
    } catch (NotOnRing complaint) {
      err.println(complaint.getMessage());
      return Benchmark.NOT_ON_RING;
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return Benchmark.FAILED;
    }
    Row.Spread sure = Statistics.medianInterval(costs);
    double cost = Statistics.median(costs);
    out.printf(
        "%nCounting costs %+.2f ns, between %+.2f and %+.2f (median of %d launches, 95 %%).%n"
            + "A round trip between two processes takes %.0f ns: %+.2f %% of it, between %+.2f and"
            + " %+.2f %%.%n",
        cost,
        sure.least(),
        sure.most(),
        costs.size(),
        roundTrip,
        PERCENT * cost / roundTrip,
        PERCENT * sure.least() / roundTrip,
        PERCENT * sure.most() / roundTrip);
    out.println(
        sure.most() < GOAL * roundTrip
            ? "The goal is met: less than 1 %."
            : "The goal, less than 1 %, is not shown by this run.");
    out.flush();
    return Benchmark.OK;
  }

  /** What was measured is not what it should have been. */
  private static final class NotOnRing extends Exception {
    private static final long serialVersionUID = 1L;

    NotOnRing(String complaint) {
      super(complaint);
    }
  }

  /** Between two processes, in nanoseconds. */
  private double roundTrip() throws BenchmarkFailure, NotOnRing, InterruptedException {
    List<Row> rows = new ArrayList<>();
    new Experiment(plan, PsCarrierCheck.ofJar(jar), new Progress(err, Progress.onTerminal(), plan))
        .run(rows::addAll);
    require(Optional.ofNullable(rows.getFirst().complaint()));
    return SECOND / rows.getFirst().perSecond();
  }

  /** Returns the best turns with and without counting: nanoseconds of a round trip. */
  private double[] launch(Uncounted uncounted, boolean countedFirst)
      throws BenchmarkFailure, NotOnRing, InterruptedException {
    try (Child one = start(countedFirst ? null : uncounted.directory());
        Child two = start(countedFirst ? uncounted.directory() : null)) {
      Child with = countedFirst ? one : two;
      Child without = countedFirst ? two : one;
      with.expect("ready", PATIENCE);
      without.expect("ready", PATIENCE);
      best(List.of(with, without));
      double[] best = best(List.of(with, without));
      PsCarrierCheck check = PsCarrierCheck.ofJar(jar);
      require(check.verify(List.of(with.pid())));
      require(check.verifyUncounted(List.of(without.pid())));
      return best;
    }
  }

  private static void require(Optional<String> complaint) throws NotOnRing {
    if (complaint.isPresent()) {
      throw new NotOnRing(complaint.get());
    }
  }

  private static double[] best(List<Child> children) throws BenchmarkFailure, InterruptedException {
    double[] best = new double[children.size()];
    Arrays.fill(best, Double.MAX_VALUE);
    for (int turn = 0; turn < TURNS; turn++) {
      for (int i = 0; i < best.length; i++) {
        Child child = children.get(i);
        child.send(Integer.toString(TRIPS));
        String[] result = child.expect("result", PATIENCE).split(" ", -1);
        best[i] = Math.min(best[i], Double.parseDouble(result[1]) / TRIPS);
      }
    }
    return best;
  }

  private Child start(@Nullable Path first) throws BenchmarkFailure {
    String classPath = Launcher.location(OneThread.class);
    return Child.start(
        first == null ? "counted" : "uncounted",
        List.of(
            Launcher.javaCommand(),
            "-javaagent:" + jar,
            "-cp",
            first == null ? classPath : first + File.pathSeparator + classPath,
            OneThread.class.getName(),
            Integer.toString(bytes)));
  }
}
