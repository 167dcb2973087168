package org.slipstream.servers;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import org.slipstream.servers.Scenario.Figures;

/** What a load program of ours measures and says; one thread. */
public final class Latencies {
  /** What {@link #say} prints. */
  public static final String LINE = "^FIGURES ([0-9.]+) ([0-9.]+) ([0-9.]+)$";

  private final long[] nanos;
  private int count;

  /**
   * Makes room.
   *
   * @param most how many operations
   */
  public Latencies(int most) {
    this.nanos = new long[most];
  }

  /**
   * An operation has ended.
   *
   * @param start {@link System#nanoTime} at its beginning
   */
  public void ended(long start) {
    nanos[count++] = System.nanoTime() - start;
  }

  /**
   * Prints the figures for the harness.
   *
   * @param start {@link System#nanoTime} at the beginning of the load
   * @param amount operations or megabytes
   */
  public void say(long start, double amount) {
    double seconds = (System.nanoTime() - start) / 1e9;
    Arrays.sort(nanos, 0, count);
    System.out.printf(
        Locale.ROOT,
        "FIGURES %.3f %.3f %.3f%n",
        amount / seconds,
        nanos[count / 2] / 1e3,
        nanos[(int) (count * 0.99)] / 1e3);
  }

  /**
   * Reads what {@link #say} printed.
   *
   * @param line a match of {@link #LINE}
   * @return the figures
   */
  public static Figures figures(Matcher line) {
    return new Figures(
        Double.parseDouble(line.group(1)),
        Double.parseDouble(line.group(2)),
        Double.parseDouble(line.group(3)));
  }
}
