package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContextSwitchesTest {
  private static final int SLEEPS = 50;

  @Test
  void eachSleepOfAChildAndOfItsChildrenIsOne() throws Exception {
    ContextSwitches before = ContextSwitches.read();
    Process sleeper =
        new ProcessBuilder(
                "sh",
                "-c",
                "i=0; while [ $i -lt " + SLEEPS + " ]; do sleep 0.001; i=$((i+1)); done")
            .start();
    assertThat(sleeper.waitFor()).isZero();
    ContextSwitches since = ContextSwitches.read().since(before);
    assertThat(since.areKnown()).isTrue();
    assertThat(since.voluntary()).as("of the sleeps and of the shell").isGreaterThan(SLEEPS);
  }

  @Test
  void whatIsNotKnownStaysSo() {
    ContextSwitches unknown = new ContextSwitches(-1);
    assertThat(unknown.areKnown()).isFalse();
    assertThat(unknown.since(unknown).areKnown()).isFalse();
    assertThat(new ContextSwitches(12).since(new ContextSwitches(2)).voluntary()).isEqualTo(10);
  }
}
