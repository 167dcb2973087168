package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.benchmarks.driver.Carrier;
import org.slipstream.benchmarks.driver.Exercise;
import picocli.CommandLine;

class CommonOptionsTest {
  private static List<Carrier> carriersOverNetty(@Nullable String wanted, int busy) {
    CommonOptions options = CommandLine.populateCommand(new CommonOptions());
    return options
        .plan(
            new CommonOptions.Request(
                Exercise.STREAM, "blocking", wanted, "64", 1, 0, 0, busy, 1, true))
        .carriers();
  }

  @Test
  void theRawRingIsARowBesideNettysTransports(@TempDir Path directory) throws IOException {
    assertThat(carriersOverNetty("netty-nio,raw", 1))
        .containsExactly(Carrier.NETTY_NIO, Carrier.RAW);
    System.setProperty(
        "slipstream.jar", Files.createFile(directory.resolve("agent.jar")).toString());
    try {
      assertThat(carriersOverNetty(null, 1)).containsAll(Carrier.NETTY).endsWith(Carrier.RAW);
      assertThat(carriersOverNetty(null, 2)).isEqualTo(Carrier.NETTY);
    } finally {
      System.clearProperty("slipstream.jar");
    }
  }

  @Test
  void theRawRingHasOneConnection() {
    assertThatThrownBy(() -> carriersOverNetty("netty-nio,raw", 2))
        .hasMessageContaining("cannot be measured here");
  }
}
