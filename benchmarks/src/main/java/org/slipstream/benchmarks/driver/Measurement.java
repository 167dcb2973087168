package org.slipstream.benchmarks.driver;

import java.util.List;
import java.util.function.Consumer;

/** Runs a plan. */
interface Measurement {
  /** Returns where the programs run, for the head of the table. */
  String cores();

  /** Starts the programs, measures, hands over the rows of each size, and ends the programs. */
  void run(Consumer<List<Row>> sink) throws BenchmarkFailure, InterruptedException;
}
