package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/** Many bytes of random sizes both ways at once, in blocking mode and with selectors. */
class SoakIT {
  private static final int CONNECTIONS = 4;
  private static final int MILLIS = 8_000;
  private static final Duration PATIENCE = Patience.LONG;

  /** It is told when it is enough. */
  private static final long LONGEST = 2 * PATIENCE.toMillis();

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  @ParameterizedTest
  @ValueSource(strings = {"echo", "echoSelector"})
  void everyByteComesBackUnchanged(String habit) throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l " + habit);
    CompletableFuture<String> soak =
        client.begin("soak " + port + " " + CONNECTIONS + " " + LONGEST + " " + seed);
    // A ring whose reader has no core for a moment overflows. How often is the machine's choice:
    // where that is all the time, the soak lasts until the ring has carried most of it all the
    // same.
    List<StreamLine> seen =
        Children.soon()
            .pollDelay(Duration.ofMillis(MILLIS))
            .pollInterval(Duration.ofMillis(200))
            .atMost(PATIENCE)
            .until(
                () -> children.streams(client),
                now ->
                    soak.isDone()
                        || (now.size() == CONNECTIONS
                            && now.stream().allMatch(SoakIT::isOnTheRing)));
    client.ask("enough");
    long bytes = Long.parseLong(client.ok(soak, "soak, seed " + seed));
    System.out.println("SoakIT: " + bytes + " bytes there and back; " + seen);
    assertThat(seen).hasSize(CONNECTIONS);
    assertThat(seen).allMatch(SoakIT::isOnTheRing);
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  private static boolean isOnTheRing(StreamLine line) {
    return line.ringOut() > line.plainOut() && line.ringIn() > line.plainIn();
  }
}
