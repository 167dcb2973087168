package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * The rules and the kill switch, thrown at live streams under load: not one byte lost or doubled.
 */
class KillSwitchIT {
  private static final int CONNECTIONS = 4;

  /** Longer than any round; each is told when it is enough. */
  private static final long MILLIS = Patience.LONG.toMillis();

  /** What goes over TCP before a round ends. */
  private static final long AFTERWARDS = 10_000_000;

  private static final int ROUNDS = 3;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  @Test
  void switchingOffUnderLoadLosesNothing() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l echo");
    for (int round = 0; round < ROUNDS; round++) {
      CompletableFuture<String> soak =
          client.begin(
              "soak "
                  + port
                  + " "
                  + CONNECTIONS
                  + " "
                  + MILLIS
                  + " "
                  + (seed.value() + 100L * round));
      Children.soon()
          .untilAsserted(() ->
              assertThat(children.streams())
                  .hasSize(2 * CONNECTIONS)
                  .allMatch(s -> s.ringOut() > 0 && s.ringIn() > 0));

      // Each side in turn throws it, and then both at once.
      command(
          switch (round % 3) {
            case 0 -> "off " + client.pid();
            case 1 -> "off " + server.pid();
            default -> "off";
          });

      Children.soon()
          .untilAsserted(() ->
              assertThat(children.streams())
                  .hasSize(2 * CONNECTIONS)
                  .noneMatch(StreamLine::onRing)
                  .allMatch(s -> s.reason().equals("DISABLED") || s.reason().equals("REVOKED")));
      long before = plainBytes(client);
      Children.soon().until(() -> plainBytes(client) - before > AFTERWARDS);
      client.ask("enough");
      long bytes = Long.parseLong(client.ok(soak, "soak, seed " + seed));
      assertThat(bytes).isPositive();
      command("on");
      Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    }
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  private long plainBytes(Peer peer) {
    return children.streams(peer).stream().mapToLong(StreamLine::plainBytes).sum();
  }

  private void command(String question) throws Exception {
    // Who has no core at the moment is asked again; it does no harm to whom it reaches twice.
    Children.soon()
        .until(() -> ProcessInspector.ask(children.directory().toString(), question).size() == 2);
  }

  @Test
  void aRuleIsReadWhenItsFileChanges() throws Exception {
    Path rules = children.home().resolve("rules");
    Files.writeString(rules, "# nothing yet\n");
    List<Peer> pair = children.acceleratedPair("-Dslipstream.rules.file=" + rules);
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");

    Files.writeString(rules, "off connect port " + port + "\n");

    Children.soon()
        .untilAsserted(() -> {
          assertThat(children.stream(client).onRing()).isFalse();
          assertThat(children.stream(client).reason()).isEqualTo("RULE");
          assertThat(children.stream(server).onRing()).isFalse();
        });
    client.ask("exchange c 20 2000 1");
    client.ask("connect d " + port);
    client.ask("exchange d 20 2000 1");
    Children.soon()
        .untilAsserted(
            () -> assertThat(children.streams(client)).allMatch(s -> s.reason().equals("RULE")));
  }
}
