package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialTest {
  private static String options(String jar, String dir, boolean on, String before) {
    Map<String, String> environment =
        new Trial(Path.of(jar), dir, null, List.of("true"), null).environment(on, before);
    assertThat(environment).containsOnlyKeys("JAVA_TOOL_OPTIONS");
    return environment.get("JAVA_TOOL_OPTIONS");
  }

  @Test
  void eachJvmOfTheProgramIsSwitchedOnOrOff() {
    assertThat(options("/a/s.jar", null, true, null)).isEqualTo("-javaagent:/a/s.jar");
    assertThat(options("/a/s.jar", "/run/x", true, null))
        .isEqualTo("-javaagent:/a/s.jar=dir=/run/x");
    assertThat(options("/a/s.jar", "/run/x", false, null)).isEqualTo("-Dslipstream.enabled=false");
  }

  @Test
  void whatTheUserHasGivenStays() {
    assertThat(options("/a/s.jar", null, true, "-Xmx1g")).isEqualTo("-Xmx1g -javaagent:/a/s.jar");
  }

  @Test
  void aPathWithABlankIsOneWord() {
    assertThat(options("/a b/s.jar", null, true, null)).isEqualTo("\"-javaagent:/a b/s.jar\"");
  }

  @Test
  void whatEndsItLetsNothingStartBehindIt(@TempDir Path directory) {
    Path started = directory.resolve("started");
    Trial trial =
        new Trial(Path.of("s.jar"), null, null, List.of("touch", started.toString()), null);
    trial.endAll();
    assertThatThrownBy(() -> trial.run(false)).isInstanceOf(IOException.class);
    assertThat(started).doesNotExist();
  }
}
