package org.slipstream.benchmarks.demo;

import java.util.List;

/**
 * What the screen shows at a time.
 *
 * @param seconds since the start
 * @param lines from the top
 */
record Frame(double seconds, List<String> lines) {
  /** What begins so is a command that a user would type. */
  static final String COMMAND = "$ ";

  Frame {
    lines = List.copyOf(lines);
  }
}
