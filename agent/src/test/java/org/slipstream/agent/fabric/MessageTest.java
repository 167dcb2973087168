package org.slipstream.agent.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one end says of a check, and what the other makes of anything at all. */
class MessageTest {
  @Test
  void whatIsWrittenIsRead() throws IOException {
    Message message = new Message("welcome", "a token", List.of("fact cores 4", "device rdma x"));
    assertThat(Message.parse(message.text())).isEqualTo(message);
    assertThat(Message.parse(Message.of("busy").text())).isEqualTo(Message.of("busy"));
  }

  @Test
  void nothingOfWhatIsSaidEndsALineOrMovesACursor() throws IOException {
    Message message = new Message("because", "a\nb\u001b[2J", List.of("c\r\n\n", " "));
    assertThat(message.text()).isEqualTo("SLIPSTREAM-FABRIC 1 because a?b?[2J\nc???\n\n");
    assertThat(Message.parse("SLIPSTREAM-FABRIC 1 because a\u0007\n\n").argument()).isEqualTo("a?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n\n",
        "SLIPSTREAM-FABRIC",
        "SLIPSTREAM-FABRIC \n\n",
        "SLIPSTREAM-FABRIC 1\n\n",
        "SLIPSTREAM-FABRIC x hello\n\n",
        "SLIPSTREAM-FABRIC -1 hello\n\n",
        "slipstream-fabric 1 hello\n\n"
      })
  void whatIsNoMessageIsForeign(String text) {
    assertThatThrownBy(() -> Message.parse(text)).isInstanceOf(Message.ForeignException.class);
  }

  @Test
  void anotherVersionIsNamed() {
    assertThatThrownBy(() -> Message.parse("SLIPSTREAM-FABRIC 7 hello\n\n"))
        .isInstanceOf(Message.VersionException.class)
        .hasMessageContaining("version 7")
        .hasMessageContaining("run the same slipstream.jar at both ends");
  }

  @Test
  void aReportIsReadAsItWasWrittenAndNonsenseIsLeftOut() {
    HostReport report =
        new HostReport(
            java.util.Map.of("host", "one two"),
            List.of(
                new HostReport.TransportReport("shm", true, "yes we can", List.of()),
                new HostReport.TransportReport("rdma", false, "no device", List.of("a/1", "b/1"))));
    List<String> lines = new java.util.ArrayList<>(report.lines());
    assertThat(HostReport.parse(lines)).isEqualTo(report);
    lines.addAll(List.of("", "fact", "fact x", "device nosuch y", "transport", "something else"));
    assertThat(HostReport.parse(lines)).isEqualTo(report);
    assertThat(report.transport("ntb").available()).isFalse();
  }
}
