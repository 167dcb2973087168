package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(600)
class CrowdTest {
  private static final int CONNECTIONS = 5;

  /** Two processes on the stock JDK; Netty is not on the class path of a test's programs. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NETTY")
  void everyServerAnswersAllBusyConnections(Crowd.Mode mode)
      throws BenchmarkFailure, InterruptedException {
    Crowd crowd =
        new Crowd(
            mode,
            null,
            Path.of("unused.jar"),
            List.of(),
            CONNECTIONS,
            0,
            100,
            1,
            new PrintWriter(Writer.nullWriter()));
    CrowdTurns.Turn turn = crowd.measure(mode.carriers().getFirst(), CONNECTIONS);
    assertThat(turn.trips()).isPositive();
    assertThat(turn.p99()).isGreaterThanOrEqualTo(turn.p50());
    assertThat(turn.serverCpu()).isNotNegative();
    assertThat(turn.clientCpu()).isNotNegative();
  }
}
