package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SystemCallTest {
  @ParameterizedTest
  @CsvSource({"amd64,1", "x86_64,1", "aarch64,2", "riscv64,2", "loongarch64,2", "AARCH64,2"})
  void anArchitectureHasOneOfTwoTables(String architecture, int number) {
    assertThat(SystemCall.number(architecture, 1, 2)).isEqualTo(number);
  }

  @Test
  void noNumberIsGuessed() {
    assertThatThrownBy(() -> SystemCall.number("s390x", 1, 2))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("no system call is known on s390x");
  }
}
