package org.slipstream.core.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.wait.PairSimulation.Machine;
import org.slipstream.core.wait.PairSimulation.Outcome;

/**
 * What the waiting rule makes of two ends that have both learnt to sleep, because answers took half
 * a millisecond for a while: a young process, a long collection. A change of a constant shows here
 * what it does to machines that its author does not have.
 */
class PairSimulationTest {
  private static final int EXCHANGES = 20_000;
  private static final int US = 1_000;

  /** More than the row of short sleeps of both ends. */
  private static final int A_FEW = 100;

  /** Wake-ups of 5 µs (a core of its own) to 350 µs (a busy host), and busy yields. */
  @ParameterizedTest
  @CsvSource({
    "5, 0, 0",
    "5, 0.05, 0.00002",
    "5, 0.2, 0",
    "25, 0, 0",
    "25, 0.05, 0.00002",
    "25, 0.2, 0",
    "55, 0, 0",
    "55, 0.05, 0.00002",
    "120, 0, 0",
    "120, 0.05, 0.00002",
    "200, 0, 0",
    "200, 0.05, 0.00002",
    "350, 0, 0",
    "350, 0.05, 0.00002",
  })
  void aPairThatCouldBeAwakeIsSoAfterAFewExchanges(int wakeUp, double busy, double slices)
      throws Exception {
    Outcome outcome =
        PairSimulation.run(new Machine(wakeUp * US, 0, busy, slices), EXCHANGES, wakeUp);
    assertThat(outcome.recovered()).as("exchanges until both are awake").isLessThan(A_FEW);
    assertThat(outcome.awake()).as("share of waits without a sleep").isGreaterThan(0.99);
    assertThat(outcome.roundTrip()).as("nanoseconds").isLessThan(US);
  }

  /** Peers that compute for so long, in microseconds, that spinning does not pay. */
  @ParameterizedTest
  @CsvSource({"5, 200", "25, 200", "55, 300", "120, 300", "350, 500", "55, 2000"})
  void aPeerThatComputesIsNotSpunFor(int wakeUp, int answer) throws Exception {
    Outcome outcome =
        PairSimulation.run(new Machine(wakeUp * US, answer * US, 0.01, 0), EXCHANGES, wakeUp);
    assertThat(outcome.spinning()).as("share of the time of both ends").isLessThan(0.1);
    assertThat(outcome.roundTrip())
        .as("nanoseconds")
        .isLessThanOrEqualTo(2L * (wakeUp + answer + 10) * US);
  }

  /** A neighbour computes on the core: each hundredth yield is a time slice. */
  @ParameterizedTest
  @CsvSource({"25, 20", "55, 0", "120, 80"})
  void besideANeighbourThatComputesNoTimeSlicesAreLost(int wakeUp, int answer) throws Exception {
    Machine machine = new Machine(wakeUp * US, answer * US, 0, 0.01);
    Outcome outcome = PairSimulation.run(machine, EXCHANGES, wakeUp);
    assertThat(outcome.roundTrip())
        .as("nanoseconds, of a pair that always sleeps and a third")
        .isLessThan(8L * (wakeUp + answer + 2) * US / 3);
  }
}
