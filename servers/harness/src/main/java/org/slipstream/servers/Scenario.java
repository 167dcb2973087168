package org.slipstream.servers;

/** Starts a server, puts load on it, checks the data, and measures. */
@FunctionalInterface
public interface Scenario {

  /**
   * Runs once.
   *
   * @param run starts the processes
   * @return what was measured
   * @throws Exception whatever fails, wrong data for example
   */
  Figures measure(Run run) throws Exception;

  /**
   * What a run measured.
   *
   * @param perSecond operations, or megabytes
   * @param p50 median latency in microseconds; NaN if the tool does not say
   * @param p99 99th percentile in microseconds; NaN if the tool does not say
   */
  record Figures(double perSecond, double p50, double p99) {}
}
