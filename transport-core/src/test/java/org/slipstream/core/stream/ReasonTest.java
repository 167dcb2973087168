package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.api.Reason;

/** Each reason says what to do, in the tools and in the documents. */
class ReasonTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "CONFIGURATION.md");

  @ParameterizedTest
  @EnumSource(Reason.class)
  void hasASentenceThatFitsIntoJson(Reason reason) {
    assertThat(reason.advice()).hasSizeGreaterThan(20).doesNotContain("\"", "\\", "\n", "{", "}");
    assertThat(reason.advice()).doesNotEndWith(".");
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void hasALineInTheTableOfReasons(Reason reason) throws IOException {
    List<String> lines =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| `" + reason + "` |"))
            .toList();
    assertThat(lines).as("lines for %s in %s", reason, DOCUMENT).hasSize(1);
    assertThat(lines.getFirst().split("\\|", -1)[3].strip()).as("advice").hasSizeGreaterThan(5);
  }
}
