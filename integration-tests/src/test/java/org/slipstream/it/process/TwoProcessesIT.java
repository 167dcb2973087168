package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/** Two JVMs and an echo, switched on in each of the ways that users have. */
class TwoProcessesIT {
  @RegisterExtension final Children children = new Children();

  @ParameterizedTest
  @ValueSource(strings = {"echo", "echoSelector"})
  void bytesOfRandomSizesTravelOverTheRingBothWays(String habit) throws Exception {
    List<Peer> pair = children.acceleratedPair();
    echoOverTheRing(pair.get(0), habit, pair.get(1));
    assertSilent(pair.get(0));
    assertSilent(pair.get(1));
  }

  @Test
  void theProviderPropertyAloneSwitchesItOn() throws Exception {
    Peer server = children.withProvider();
    Peer client = children.withProvider();
    echoOverTheRing(server, "echo", client);
    assertSilent(server);
    assertSilent(client);
  }

  @Test
  void agentAndProviderPropertyMeetOnTheRing() throws Exception {
    Peer server = children.withProvider();
    Peer client = children.accelerated();
    echoOverTheRing(server, "echo", client);
  }

  private void echoOverTheRing(Peer server, String habit, Peer client) throws Exception {
    int port = server.port("l");
    server.ask("serve l " + habit);
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    children.carry(client, "exchange c 500 20000 42", 2 * 500 * 9_000);
    StreamLine after = children.stream(client);
    // The server counts when its write has ended, which its peer need not wait for.
    Children.soon()
        .untilAsserted(() -> {
          StreamLine other = children.stream(server);
          assertThat(other.role()).isEqualTo("server");
          assertThat(other.ringIn()).isEqualTo(after.ringOut());
          assertThat(other.ringOut()).isEqualTo(after.ringIn());
          assertThat(other.plainIn()).isEqualTo(after.plainOut());
          assertThat(other.plainOut()).isEqualTo(after.plainIn());
        });
  }

  @Test
  void aStreamUsesTheRingAfterItsFirstExchanges() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).echo("l");
    Peer client = pair.get(1);
    client.ask("connect c " + port);
    client.ask("write c 1 1");
    client.ask("read c 1 1");
    children.upgrade(client, "c");
    assertThat(children.stream(client).reason()).isEqualTo("NONE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled=false on both", "enabled=false on one"})
  void switchedOffIsPlainAndSilent(String where) throws Exception {
    Peer server = children.accelerated("-Dslipstream.enabled=false");
    Peer client =
        where.endsWith("one")
            ? children.accelerated()
            : children.accelerated("-Dslipstream.enabled=false");
    int port = server.echo("l");
    client.ask("connect c " + port);
    client.ask("exchange c 100 20000 1");
    assertThat(children.streams()).noneMatch(StreamLine::onRing);
    assertThat(children.streams(server)).isEmpty();
    assertSilent(server);
    assertSilent(client);
  }

  @Test
  void psShowsEveryStream() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).echo("l");
    pair.get(1).ask("connectMany c " + port + " 3");
    for (int i = 0; i < 3; i++) {
      pair.get(1).ask("exchange c" + i + " 10 100 1");
    }
    Children.soon().until(() -> children.streams().size() == 6);
    Process ps =
        new ProcessBuilder(
                Children.JAVA,
                "-jar",
                Children.JAR.toString(),
                "ps",
                "--json",
                "--dir",
                children.directory().toString())
            .start();
    try {
      String json = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      String errors = new String(ps.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(ps.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(ps.exitValue()).isZero();
      assertThat(errors).isEmpty();
      assertThat(StreamLine.parse(json)).hasSize(6);
      assertThat(StreamLine.parse(json))
          .filteredOn(s -> s.role().equals("client"))
          .hasSize(3)
          .allMatch(s -> s.pid() == pair.get(1).pid())
          .allMatch(s -> s.remote().equals("127.0.0.1:" + port));
    } finally {
      ps.destroyForcibly();
    }
  }

  private static void assertSilent(Peer peer) throws Exception {
    assertThat(peer.end()).isZero();
    assertThat(peer.foreignOutput()).isEmpty();
    assertThat(peer.errors()).isEmpty();
  }
}
