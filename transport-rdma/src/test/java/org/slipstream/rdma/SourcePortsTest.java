package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where our own ports begin. */
class SourcePortsTest {

  @Test
  void theKernelsRangeIsReadAsAWhole() {
    assertThat(SourcePorts.range()).matches("\\d+\\s+\\d+\\s*");
  }

  @ParameterizedTest
  @CsvSource({
    "'32768\t60999\n', 61000",
    "'1024 65535', 0",
    "'1024 65279', 65280",
    "'1024 65280', 0",
    "'', 0",
    "'nonsense', 0",
    "'0 100', 0"
  })
  void theyAreBehindTheKernels(String range, int first) {
    assertThat(SourcePorts.firstBehind(range)).isEqualTo(first);
  }
}
