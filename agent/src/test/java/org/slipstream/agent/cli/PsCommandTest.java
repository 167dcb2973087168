package org.slipstream.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slipstream.core.status.BuildInfo;
import org.slipstream.core.status.ProcessStatus;

class PsCommandTest {
  private static ProcessStatus process(Map<String, Object> members) {
    return new ProcessStatus(members, List.of());
  }

  @Test
  void aProcessOfThisBuildIsNotMentioned() {
    BuildInfo ours = BuildInfo.current();
    assertThat(
            PsCommand.otherBuild(
                process(Map.of("pid", 7L, "version", ours.version(), "commit", ours.commit()))))
        .isEmpty();
  }

  @Test
  void aProcessOfAnotherBuildIsNamedWithBoth() {
    assertThat(
            PsCommand.otherBuild(
                process(Map.of("pid", 7L, "version", "9.9.9", "commit", "\u001b[H12"))))
        .hasValue(
            "Process 7 runs Slipstream 9.9.9 (commit ??H12), and this command is "
                + BuildInfo.current()
                + ".");
    assertThat(PsCommand.otherBuild(process(Map.of("pid", 7L))).orElseThrow())
        .startsWith("Process 7 runs Slipstream unknown (commit unknown), and");
  }
}
