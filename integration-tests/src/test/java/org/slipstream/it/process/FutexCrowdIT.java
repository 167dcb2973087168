package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/** One server with a thread for each connection, all asleep on futexes. */
class FutexCrowdIT {
  private static final int CROWD = 2_000;
  private static final Duration PATIENCE = Patience.LONG;

  /** A reader that was kept off its core may be woken between two pieces of a message. */
  private static final int FEW = CROWD / 20;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  private List<StreamLine> crowd(Peer peer) {
    return Children.soon()
        .atMost(PATIENCE)
        .until(() -> children.streams(peer), lines -> lines.size() == CROWD);
  }

  private long wakeUps() throws IOException {
    for (String answer : ProcessInspector.ask(children.directory().toString(), "totals")) {
      ProcessStatus totals = ProcessStatus.parse(answer).orElseThrow();
      if (totals.number("pid") == server.pid()) {
        return totals.number("wakeUps");
      }
    }
    throw new AssertionError("the server did not answer");
  }

  private void awaitAllAsleep() {
    Children.soon()
        .atMost(PATIENCE)
        .until(() -> server.ask("threads Futex").equals(Integer.toString(CROWD)));
  }

  @Test
  void eachOfManyReadersIsWokenOnceAndOneThreadWatchesForAll() throws Exception {
    List<Peer> pair =
        children.acceleratedPair(
            AsleepPair.ASLEEP, "-Xmx512m", "-Dslipstream.memory.limit=1g", "-Xss256k");
    server = pair.get(0);
    client = pair.get(1);
    int port = server.echo("l");
    assertThat(client.ask("connectMany c " + port + " " + CROWD, PATIENCE))
        .isEqualTo(Integer.toString(CROWD));
    Patience.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          client.ask("exchangeMany c 3 500", PATIENCE);
          assertThat(crowd(server)).allMatch(s -> s.onRing() && s.doorbell().equals("futex"));
        });
    awaitAllAsleep();
    final List<String> threads = server.threads();
    final List<String> descriptors = Census.descriptors(server.pid(), children.home());
    final long before = wakeUps();

    client.ask("exchangeMany c 1 500", PATIENCE);

    awaitAllAsleep();
    assertThat(wakeUps() - before).isBetween((long) CROWD, (long) CROWD + FEW);
    assertThat(server.threads()).isEqualTo(threads).containsOnlyOnce(AsleepPair.WATCHER);
    assertThat(Census.descriptors(server.pid(), children.home())).isEqualTo(descriptors);

    client.ask("closeMany c", PATIENCE);
    Children.soon()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          assertThat(children.streams()).isEmpty();
          assertThat(server.threads()).doesNotContain("connection");
        });
    assertThat(server.ask("threads Futex")).isEqualTo("0");
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }
}
