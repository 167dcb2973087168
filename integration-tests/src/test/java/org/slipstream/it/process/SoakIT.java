package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many bytes of random sizes both ways at once, in blocking mode and with selectors. */
class SoakIT {
  private static final int CONNECTIONS = 4;
  private static final int MILLIS = 8_000;

  @RegisterExtension final Children children = new Children();

  @ParameterizedTest
  @ValueSource(strings = {"echo", "echoSelector"})
  void everyByteComesBackUnchanged(String habit) throws Exception {
    long seed = System.nanoTime();
    System.out.println("SoakIT: seed " + seed + ", " + habit);
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l " + habit);
    CompletableFuture<String> soak =
        client.begin("soak " + port + " " + CONNECTIONS + " " + MILLIS + " " + seed);
    // The last look before the end says what carried them.
    List<StreamLine> seen = List.of();
    while (!soak.isDone()) {
      List<StreamLine> now = children.streams(client);
      if (now.size() == CONNECTIONS) {
        seen = now;
      }
      Children.soon().pollDelay(Duration.ofMillis(200)).until(() -> true);
    }
    long bytes = Long.parseLong(client.ok(soak, "soak, seed " + seed));
    System.out.println("SoakIT: " + bytes + " bytes there and back; " + seen);
    assertThat(seen).hasSize(CONNECTIONS);
    assertThat(seen)
        .allSatisfy(s -> {
          assertThat(s.ringOut()).as("bytes out over the ring").isGreaterThan(s.plainOut());
          assertThat(s.ringIn()).as("bytes in over the ring").isGreaterThan(s.plainIn());
        });
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }
}
