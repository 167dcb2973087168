package org.slipstream.benchmarks.programs;

import java.util.Scanner;

/**
 * One turn of one pair: what a "run" command asks for.
 *
 * @param size bytes of a message
 * @param warmupMillis how long to run before anything is recorded
 * @param millis how long to record
 * @param intervalMicros one exchange in so many microseconds, or 0 for back to back
 */
public record Slice(int size, long warmupMillis, long millis, long intervalMicros) {
  private static final String WORD = "run";

  /** Returns the command line for this slice. */
  public String toLine() {
    return WORD + " " + size + " " + warmupMillis + " " + millis + " " + intervalMicros;
  }

  /** Reads what {@link #toLine} wrote. */
  public static Slice parse(String line) {
    try (Scanner words = new Scanner(line)) {
      if (words.hasNext() && words.next().equals(WORD) && words.hasNextInt()) {
        int size = words.nextInt();
        long[] numbers = new long[3];
        for (int i = 0; i < numbers.length; i++) {
          if (!words.hasNextLong()) {
            throw unknown(line);
          }
          numbers[i] = words.nextLong();
        }
        if (!words.hasNext() && size > 0) {
          return new Slice(size, numbers[0], numbers[1], numbers[2]);
        }
      }
    }
    throw unknown(line);
  }

  private static IllegalArgumentException unknown(String line) {
    return new IllegalArgumentException(
        "'" + line + "' is not a command (use: run SIZE WARMUP_MS MILLIS INTERVAL_US)");
  }
}
