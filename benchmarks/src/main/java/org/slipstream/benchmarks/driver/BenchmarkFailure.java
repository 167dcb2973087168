package org.slipstream.benchmarks.driver;

import java.io.Serial;

/** A measurement that could not be made; the message is the sentence for the user. */
final class BenchmarkFailure extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates a failure from one sentence. */
  BenchmarkFailure(String message) {
    super(message);
  }

  /** Creates a failure from one sentence and its cause. */
  BenchmarkFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
