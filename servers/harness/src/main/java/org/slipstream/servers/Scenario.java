package org.slipstream.servers;

import java.util.Map;

/** A server, unmodified, and the load on it. */
@FunctionalInterface
public interface Scenario {

  /**
   * Starts the servers.
   *
   * @param run starts processes
   * @return the load on them, once they answer
   * @throws Exception whatever fails
   */
  Load start(Run run) throws Exception;

  /**
   * Whether its processes can be on nodes of their own: there is one server, or each listens at
   * {@link Run#address}.
   *
   * @return whether it can be measured over NTB
   */
  default boolean isForNodes() {
    return false;
  }

  /** What is done to the servers; every turn checks its data. */
  @FunctionalInterface
  interface Load {

    /**
     * Loads them once.
     *
     * @return what was measured
     * @throws Exception whatever fails, wrong data for example
     */
    Figures turn() throws Exception;

    /**
     * Goes on with another load on the same servers.
     *
     * @param words which one, as its client knows it
     * @param operations in a turn of a test
     * @throws Exception whatever fails
     */
    default void next(String words, int operations) throws Exception {
      throw new UnsupportedOperationException("this load has no other: " + words);
    }

    /**
     * Ends the load after the last turn.
     *
     * @throws Exception whatever fails, wrong sums for example
     */
    default void end() throws Exception {}
  }

  /**
   * What a turn measured.
   *
   * @param amount operations, records, rows or megabytes
   * @param perSecond of them
   * @param p50 median latency in microseconds; NaN if the tool does not say
   * @param p99 99th percentile in microseconds; NaN if the tool does not say, or if a turn has too
   *     few operations for one
   * @param more that only this load has, by name and unit, such as {@code fetch_wait_s}; of the
   *     whole turn
   */
  record Figures(
      double amount, double perSecond, double p50, double p99, Map<String, Double> more) {

    /** Without more. */
    public Figures(double amount, double perSecond, double p50, double p99) {
      this(amount, perSecond, p50, p99, Map.of());
    }
  }
}
