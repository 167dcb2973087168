package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CpuTimeTest {

  @Test
  void theTimeOfTheChildrenIsReadWhateverTheProcessIsCalled() throws Exception {
    String stat =
        "4711 (a) b (c) S 1 4711 4711 0 -1 4194304 100 200 0 0 11 12 345 67 20 0 30 0 999 1000 10";
    assertThat(CpuTime.parse(stat)).isEqualTo(new CpuTime(3450, 670));
  }

  @Test
  void aLineThatIsTooShortIsNamed() {
    assertThatThrownBy(() -> CpuTime.parse("4711 (java) S 1 2 3"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("4711 (java) S 1 2 3");
  }

  @Test
  void aChildThatHasEndedIsCounted() throws Exception {
    CpuTime before = CpuTime.ofChildren();
    Process busy =
        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done").start();
    assertThat(busy.waitFor()).isZero();
    assertThat(CpuTime.ofChildren().since(before).userMillis()).isPositive();
  }
}
