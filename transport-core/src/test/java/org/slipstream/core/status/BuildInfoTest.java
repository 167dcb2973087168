package org.slipstream.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BuildInfoTest {
  @Test
  void theBuildFillsTheResourceIn() {
    BuildInfo current = BuildInfo.current();
    assertThat(current.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(current.commit()).matches("[0-9a-f]{40}(-changed)?|unknown");
  }

  @ParameterizedTest
  @CsvSource({
    "0.1.0, 1f, 0.1.0 (commit 1f)",
    "0.1.0, 1f-changed, 0.1.0 (commit 1f-changed)",
    "0.1.0, '', 0.1.0 (commit unknown)",
    "'', 1f, unknown (commit 1f)",
  })
  void whatTheBuildDidNotKnowIsUnknown(String version, String commit, String expected) {
    Properties said = new Properties();
    said.setProperty("version", version);
    said.setProperty("commit", commit);
    assertThat(BuildInfo.of(said)).hasToString(expected);
  }

  @Test
  void anEmptyResourceIsUnknownToo() {
    assertThat(BuildInfo.of(new Properties()))
        .isEqualTo(new BuildInfo(BuildInfo.UNKNOWN, BuildInfo.UNKNOWN));
  }
}
