package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {
  @Test
  void readsBytesAndUnits() {
    assertThat(Sizes.parse("1,64, 4k,16K,1m")).containsExactly(1, 64, 4096, 16_384, 1_048_576);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1,,2", "-1", "1.5", "4kb", "99999999999"})
  void refusesWhatIsNoSize(String list) {
    assertThatThrownBy(() -> Sizes.parse(list))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a size");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65m", "999999999k"})
  void refusesSizesOutOfRange(String list) {
    assertThatThrownBy(() -> Sizes.parse(list)).hasMessageContaining("is not between 1 and 64m");
  }

  @Test
  void refusesTheSameSizeTwice() {
    assertThatThrownBy(() -> Sizes.parse("1k,1024")).hasMessage("--sizes names 1024 twice.");
  }
}
