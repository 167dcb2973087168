package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuSecondsTest {

  @Test
  void addsUpTheTimesOfAProcessAndItsChildren() {
    assertThat(
            CpuSeconds.ticks("42 (a) b (c) S 1 42 42 0 -1 4194560 9 0 0 0 1000 200 30 4 20 0 1 0"))
        .isEqualTo(1234);
  }
}
