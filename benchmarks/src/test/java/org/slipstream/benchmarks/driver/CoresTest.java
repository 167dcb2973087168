package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CoresTest {
  @Test
  void readsTheKernelsLists() {
    assertThat(Cores.parseList("\t0-3,8\n")).containsExactly(0, 1, 2, 3, 8);
    assertThat(Cores.parseList("5")).containsExactly(5);
  }

  @Test
  void startsUnderTasksetOnlyWhenACoreWasChosen() {
    assertThat(Cores.pinned(3)).containsExactly("taskset", "-c", "3");
    assertThat(Cores.pinned(null)).isEmpty();
  }
}
