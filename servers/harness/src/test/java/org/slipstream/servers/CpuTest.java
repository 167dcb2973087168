package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuTest {
  @Test
  void aNameMayLookLikeFields() {
    String stat =
        "4711 (a) S 1 (b c) S 1 4711 4711 0 -1 4194304 9 0 0 0 1234 56 7 8 20 0 31 0 99 0 0\n";
    assertThat(Cpu.parse(stat)).isEqualTo(new Cpu(12.34, 0.56));
  }

  @Test
  void aProcessThatIsGoneHasNone() {
    assertThat(Cpu.of("0")).isEqualTo(Cpu.ZERO);
    assertThat(new Cpu(3, 2).minus(new Cpu(1, 2)).plus(Cpu.ZERO)).isEqualTo(new Cpu(2, 0));
  }
}
