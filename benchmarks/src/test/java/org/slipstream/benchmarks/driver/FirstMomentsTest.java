package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.benchmarks.programs.Mode;

@Timeout(600)
class FirstMomentsTest {
  @ParameterizedTest
  @EnumSource(names = {"SOCKET", "BLOCKING", "SELECTOR"})
  void aNewPairExchangesAndEnds(Mode mode) throws BenchmarkFailure, InterruptedException {
    FirstMoments moments =
        new FirstMoments(
            Path.of("unused.jar"), List.of(), 1, 100, null, new PrintWriter(Writer.nullWriter()));
    assertThat(moments.measure(mode, Carrier.TCP)).isPositive();
  }
}
