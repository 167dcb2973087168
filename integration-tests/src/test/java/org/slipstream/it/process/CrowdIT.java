package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * One server, one selector, and a crowd of streams that are all on the ring at once; {@code
 * -Dslipstream.test.crowd=10000} is what {@code slipstream crowd} measures.
 */
class CrowdIT {
  private static final int CROWD = Integer.getInteger("slipstream.test.crowd", 2_000);
  private static final Duration PATIENCE = Patience.LONG;

  @RegisterExtension final Children children = new Children();

  @Test
  void aCrowdOfStreamsIsOnTheRingAtOnceAndLeavesNothing() throws Exception {
    List<Peer> pair = children.acceleratedPair("-Xmx512m", "-Dslipstream.memory.limit=1g");
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l echoMany");
    client.ask("warm");
    assertThat(client.ask("connectMany c " + port + " " + CROWD, PATIENCE))
        .isEqualTo(Integer.toString(CROWD));
    Patience.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> {
          client.ask("exchangeMany c 3 500", PATIENCE);
          List<StreamLine> all = children.streams();
          assertThat(all).hasSize(2 * CROWD);
          assertThat(all.stream().filter(s -> !s.onRing()).limit(3)).as("on TCP").isEmpty();
        });
    long before = crowd(client).stream().mapToLong(StreamLine::plainBytes).sum();
    client.ask("exchangeMany c 5 2000", PATIENCE);
    List<StreamLine> all = crowd(client);
    assertThat(all).allMatch(s -> s.ringOut() > 0 && s.ringIn() > 0);
    assertThat(all.stream().mapToLong(StreamLine::plainBytes).sum())
        .as("bytes over TCP")
        .isEqualTo(before);
    client.ask("closeMany c", PATIENCE);
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    assertThat(client.end()).isZero();
    assertThat(server.end()).isZero();
    assertThat(Census.files(children.home())).isEmpty();
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /** All streams of the client, which may need more than one question for so much. */
  private List<StreamLine> crowd(Peer client) {
    return Children.soon()
        .atMost(PATIENCE)
        .until(() -> children.streams(client), lines -> lines.size() == CROWD);
  }
}
