package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessTimeTest {
  @Test
  void countsTheFieldsFromTheEndOfTheName() {
    String stat = "42 (a (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 12 0 100 1 1";
    assertThat(ProcessTime.parse(stat)).isEqualTo(120_000_000);
  }

  @Test
  void doesNotKnowADeadProcess() {
    assertThat(ProcessTime.nanos(-1)).isEqualTo(-1);
  }

  @Test
  void theCompilersAreAPartOfTheProcess() {
    long pid = ProcessHandle.current().pid();
    assertThat(ProcessTime.compilers(pid)).isBetween(1L, ProcessTime.nanos(pid));
    assertThat(ProcessTime.compilers(-1)).isZero();
  }
}
