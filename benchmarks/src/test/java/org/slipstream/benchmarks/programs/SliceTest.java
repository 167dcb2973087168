package org.slipstream.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SliceTest {
  @Test
  void readsWhatItWrites() {
    Slice slice = new Slice(64, 50, 500, 1000);
    assertThat(slice.toLine()).isEqualTo("run 64 50 500 1000");
    assertThat(Slice.parse(slice.toLine())).isEqualTo(slice);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "run", "run 64 50 500", "run 64 50 500 0 1", "run 0 1 1 1", "go 1 1 1 1"})
  void refusesOtherLines(String line) {
    assertThatThrownBy(() -> Slice.parse(line)).hasMessageContaining("is not a command");
  }
}
