package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.Tool.Said;

/** {@code slipstream ps --sessions}: what a process shares with others, and what ended. */
class SessionsIT {
  @RegisterExtension final Children children = new Children();

  private Said ps(String... options) throws Exception {
    List<String> all = new java.util.ArrayList<>(List.of("ps"));
    all.addAll(List.of(options));
    all.addAll(List.of("--dir", children.directory().toString()));
    return Tool.run(List.of(), all.toArray(String[]::new));
  }

  @Test
  void anOpenSessionHasItsStreamsAndOneThatEndedItsCause() throws Exception {
    Peer server = children.accelerated();
    Peer client = children.accelerated();
    int port = server.echo("l");
    for (String stream : List.of("a", "b")) {
      client.ask("connect " + stream + " " + port);
      children.upgrade(client, stream);
    }
    Said open = ps("--sessions");
    assertThat(open.text())
        .containsPattern(
            "(?m)^PID +PROGRAM +TRANSPORT +PEER +STATE +ROLE +DEVICE +GID +ADDRESS +ORDER +SECONDS"
                + " +STREAMS +MTU +PINNED +QUEUE +FULL +COMPLETIONS +RETRIES +LOST +RETURNED +ZERO-COPY +CAUSE$")
        .containsPattern("(?m)^" + client.pid() + " +\\S+ +shm +[0-9a-f]{8} +open +\\d+ +2 ")
        .containsPattern("(?m)^" + server.pid() + " +\\S+ +shm +[0-9a-f]{8} +open +\\d+ +2 ");
    assertThat(open.code()).isZero();
    assertThat(ps("--sessions", "--json").text())
        .containsPattern(
            "\"pid\":"
                + client.pid()
                + ",\"program\":\"\\S+\",\"sessionsOpen\":1,\"sessions\":\\[\\{")
        .contains("\"transport\":\"shm\"")
        .contains("\"state\":\"open\"");

    server.kill();
    Children.soon()
        .untilAsserted(() ->
            assertThat(ps("--sessions").text())
                .containsPattern(
                    "(?m)^" + client.pid() + " +\\S+ +shm +[0-9a-f]{8} +ended +\\d+ .*[a-z]{3,}$")
                .doesNotContain(" open "));
    assertThat(ps("--totals").text()).contains("sessionsEnded:1").contains("returns:0");
  }

  @Test
  void whereThereIsNoSessionThatIsSaid() throws Exception {
    Said none = ps("--sessions");
    assertThat(none.text()).contains("does not exist, so no process runs with it");
    assertThat(none.code()).isZero();
    Said both = ps("--sessions", "--totals");
    assertThat(both.text()).contains("Give --sessions or --totals.");
    assertThat(both.code()).isEqualTo(2);
  }
}
