package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class KernelCallsTest {
  private static final int MANY = 5_000;

  @Test
  void theTwoLinesAreFoundAmongTheOthers() throws Exception {
    String io = "rchar: 1\nwchar: 2\nsyscr: 30\nsyscw: 41\nread_bytes: 5\n";
    assertThat(KernelCalls.parse(io)).isEqualTo(new KernelCalls(30, 41));
    assertThat(KernelCalls.parse(io).since(new KernelCalls(10, 1)))
        .isEqualTo(new KernelCalls(20, 40));
  }

  @Test
  void aFileWithoutThemIsNamed() {
    assertThatThrownBy(() -> KernelCalls.parse("rchar: 1\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rchar: 1");
  }

  @Test
  void thoseOfAChildThatHasEndedAreCounted() throws Exception {
    KernelCalls before = KernelCalls.soFar();
    Process copies =
        new ProcessBuilder("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=" + MANY)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(copies.waitFor()).isZero();
    KernelCalls calls = KernelCalls.soFar().since(before);
    if (calls.areKnown()) {
      assertThat(calls.reads()).isBetween((long) MANY, 10L * MANY);
      assertThat(calls.writes()).isBetween((long) MANY, 10L * MANY);
    }
  }
}
