package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracesTest {
  /** Runs assert the other one: each accelerated process has both traces. */
  @Test
  void aJarThatIsOpenIsATrace(@TempDir Path directory) throws Exception {
    assertThat(Traces.of("self")).isEmpty();
    Path jar = Files.createFile(directory.resolve("slipstream.jar"));
    try (InputStream open = Files.newInputStream(jar)) {
      assertThat(Traces.of("self")).containsExactly("fd");
      assertThat(open.read()).isEqualTo(-1);
    }
    assertThat(Traces.of("self")).isEmpty();
  }
}
