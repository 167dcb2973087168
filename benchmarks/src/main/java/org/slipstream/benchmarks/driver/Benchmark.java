package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One run of a command: an experiment with its table, its file and its exit code. */
public final class Benchmark {
  /** All rows are what they claim to be. */
  public static final int OK = 0;

  /** A program failed or the machine refused something. */
  public static final int FAILED = 1;

  /** A row that should have taken the fast path did not. */
  public static final int NOT_ON_RING = 3;

  private final Plan plan;
  private final PrintStream out;
  private final PrintStream err;

  /** Prepares a run that prints its table there and its progress and troubles there. */
  public Benchmark(Plan plan, PrintStream out, PrintStream err) {
    this.plan = plan;
    this.out = out;
    this.err = err;
  }

  /** Measures, prints and writes, and returns the exit code. */
  public int run(@Nullable RowsFile json) throws InterruptedException {
    Path jar = plan.slipstreamJar();
    CarrierCheck check = jar == null ? pids -> Optional.empty() : PsCarrierCheck.ofJar(jar);
    Progress progress = new Progress(err, Progress.onTerminal(), plan);
    Measurement experiment =
        plan.isInGuest()
            ? new GuestExperiment(plan, progress)
            : new Experiment(plan, check, progress);
    Table table = new Table(out, plan);
    table.head(experiment.cores());
    List<Row> rows = new ArrayList<>();
    try {
      experiment.run(ofOneSize -> {
        rows.addAll(ofOneSize);
        table.rows(ofOneSize);
      });
      table.foot(rows);
      if (json != null) {
        json.write(rows.stream().map(JsonReport::object));
      }
    } catch (BenchmarkFailure failure) {
      err.println(failure.getMessage());
      return FAILED;
    } catch (IOException unwritable) {
      err.println("--json: the rows could not be written: " + unwritable.getMessage());
      return FAILED;
    }
    if (rows.stream().anyMatch(row -> row.complaint() != null)) {
      err.println("The rows marked with ! did not run over the ring, so they prove nothing.");
      return NOT_ON_RING;
    }
    return OK;
  }
}
