package org.slipstream.benchmarks;

/** Stands where the agent would and does nothing, so that the shm row runs on TCP. */
final class NoAgent {
  private NoAgent() {}

  public static void premain(String arguments) {}
}
