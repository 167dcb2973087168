package org.slipstream.benchmarks.examples;

import java.io.IOException;

/** What each of the processes does, again and again. */
interface Program {
  /** Does it once, with all others. */
  void run() throws IOException;

  /** What the last run has led to, in words that the driver compares with the others'. */
  String check();
}
