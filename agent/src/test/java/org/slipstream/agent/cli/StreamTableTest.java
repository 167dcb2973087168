package org.slipstream.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;

class StreamTableTest {
  private static final String ANSWER =
      "{\"pid\":12,\"program\":\"org.example.Server\",\"streams\":["
          + "{\"local\":\"127.0.0.1:1\",\"remote\":\"127.0.0.1:2\",\"role\":\"server\","
          + "\"carrier\":\"shm\",\"doorbell\":\"pipe\",\"state\":\"ESTAB\",\"ringBytesOut\":1500000,\"messagesIn\":7,"
          + "\"ringUsedIn\":64,\"ringSizeIn\":128,\"reason\":\"NONE\",\"advice\":\"a\"},"
          + "{\"local\":\"127.0.0.1:1\",\"remote\":\"127.0.0.1:3\",\"role\":\"server\","
          + "\"carrier\":\"tcp\",\"new\":\"word\",\"reason\":\"RULE\",\"advice\":\"see the rules\"}]}";

  private static List<StreamRow> rows(String answer) {
    return ProcessStatus.parse(answer).orElseThrow().streams();
  }

  @Test
  void eachStreamIsALineAndEachPlainOneSaysWhy() {
    List<StreamRow> rows = rows(ANSWER);

    List<String> lines = StreamTable.lines(rows, List.of(), 0);

    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("PID").contains("RING-IN").endsWith("WHY PLAIN");
    assertThat(lines.get(1))
        .contains("12", "Server", "127.0.0.1:2", "shm", "pipe", "ESTAB", "1.50M", "50%")
        .doesNotContain("NONE");
    assertThat(lines.get(2)).contains("tcp").endsWith("RULE: see the rules");
  }

  @Test
  void aSecondLookShowsAmountsPerSecond() {
    List<StreamRow> before = rows(ANSWER);
    List<StreamRow> after = rows(ANSWER.replace("1500000", "3500000"));

    List<String> lines = StreamTable.lines(after, before, 2.0);

    assertThat(lines.get(0)).contains("OUT/s", "MSG-IN/s");
    assertThat(lines.get(1)).contains("1.00M").doesNotContain("3.50M");
  }

  @Test
  void amountsAreFiveCharactersAtMost() {
    assertThat(StreamTable.human(0)).isEqualTo("0");
    assertThat(StreamTable.human(9_999)).isEqualTo("9999");
    assertThat(StreamTable.human(10_000)).isEqualTo("10.0k");
    assertThat(StreamTable.human(999_999)).isEqualTo("1.00M");
    assertThat(StreamTable.human(123_456_789_012L)).isEqualTo("123G");
  }
}
