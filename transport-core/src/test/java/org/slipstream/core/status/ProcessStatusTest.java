package org.slipstream.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.api.Reason;
import org.slipstream.core.stream.Total;

/** What a process says and what a tool reads are one form. */
class ProcessStatusTest {
  private static ProcessStatus status(Map<String, Object> members) {
    Map<String, Object> process = Map.of("pid", 12L);
    return new ProcessStatus(process, List.of(new StreamRow(process, members)));
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void eachReasonAndItsAdviceIsReadAsItWasWritten(Reason reason) {
    ProcessStatus said = status(Map.of("reason", reason.name(), "advice", reason.advice()));

    assertThat(ProcessStatus.parse(said.json())).contains(said);
    assertThat(said.streams().getFirst().why())
        .isEqualTo(reason == Reason.NONE ? "" : reason + ": " + reason.advice());
  }

  @Test
  void theSumsOfAProcessAreReadAsTheyWereWritten() {
    String said = StatusJson.totals(ProcessCounters.of(total -> 7 + Total.ALL.indexOf(total)));

    ProcessStatus read = ProcessStatus.parse(said).orElseThrow();

    assertThat(said).doesNotContain("streams\":[");
    assertThat(read.number("pid")).isEqualTo(ProcessHandle.current().pid());
    assertThat(read.streams()).isEmpty();
    for (Total total : Total.ALL) {
      assertThat(read.number(total.name())).isEqualTo(7 + Total.ALL.indexOf(total));
    }
  }

  @Test
  void aProcessWithoutStreamsSaysSo() {
    String said = StatusJson.process(List.of());
    assertThat(said).startsWith("{\"pid\":").endsWith("\",\"streams\":[]}");
    assertThat(ProcessStatus.parse(said)).map(ProcessStatus::streams).contains(List.of());
  }

  @Test
  void noWordCanEndItsStringOrMoveTheCursor() {
    ProcessStatus said = status(Map.of("local", "a\"},{\\\n\u001b[2J"));
    assertThat(said.json()).isEqualTo("{\"pid\":12,\"streams\":[{\"local\":\"a?},{???[2J\"}]}");
    assertThat(ProcessStatus.parse(said.json()).orElseThrow().streams()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "no JSON",
        "{\"pid\":-1,\"streams\":[]}",
        "{\"pid\":\"1\",\"streams\":[]}",
        "{\"streams\":[]}",
        "{\"pid\":1,\"streams\":[{]}",
        "{\"pid\":1,\"streams\":[{}}",
        "{\"pid\":1,\"streams\":[{\"a\":}]}",
        "{\"pid\":1,\"streams\":[{\"a\":{}}]}",
        "{\"pid\":1,\"streams\":[]} and more",
        "{\"pid\":1",
        "{\"pid\":9999999999999999999}"
      })
  void whatIsNoAnswerIsNotRead(String text) {
    assertThat(ProcessStatus.parse(text)).isEmpty();
  }

  @Test
  void aNewerProcessMaySayMore() {
    ProcessStatus read =
        ProcessStatus.parse("{\"pid\":1,\"new\":\"x\",\"streams\":[{\"newer\":-5}]}").orElseThrow();
    assertThat(read.streams().getFirst().number("newer")).isEqualTo(-5);
    assertThat(read.streams().getFirst().text("new")).isEqualTo("x");
    assertThat(read.streams().getFirst().text("old")).isEmpty();
    assertThat(read.streams().getFirst().number("old")).isZero();
  }

  @Test
  void nothingGrowsWithAWordThatIsTooLong() {
    ProcessStatus read =
        ProcessStatus.parse("{\"pid\":1,\"program\":\"" + "x".repeat(100_000) + "\"}")
            .orElseThrow();
    assertThat(read.members().get("program").toString()).hasSize(200);
  }

  @Test
  void theOutputOfTheToolIsReadProcessByProcess() {
    ProcessStatus one = status(Map.of("local", "a:1", "ringBytesOut", 3L));
    ProcessStatus two = new ProcessStatus(Map.of("pid", 13L), new ArrayList<>());

    List<ProcessStatus> read =
        ProcessStatus.parseAll(ProcessStatus.json(List.of(one, two)) + ",\"silent\":[7]}");

    assertThat(read).containsExactly(one, two);
    assertThat(ProcessStatus.parseAll(one.json() + "," + two.json())).containsExactly(one, two);
    assertThat(ProcessStatus.parseAll(ProcessStatus.json(List.of()) + ",\"silent\":[]}")).isEmpty();
  }
}
