package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * Streams that are closed while they switch, with MARK not sent, on its way, or unread; or soon.
 */
class BriefStreamsIT {
  private static final int CONNECTIONS = 600;
  private static final int BUSY = 400;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  @Test
  void everyByteOfAStreamThatClosesWhileItSwitchesArrives() throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.test.hold=10");
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l count");
    String sent = client.ask("brief " + port + " " + CONNECTIONS + " " + seed, Patience.DEADLINE);
    Children.soon().untilAsserted(() -> assertThat(server.ask("counted")).isEqualTo(sent));
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    assertThat(children.totals(client).get("streamsJoined"))
        .as("streams that were closed late enough")
        .isBetween(50L, 550L);
    assertThat(server.foreignOutput()).as("connections that failed").isEmpty();
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /** As with Tomcat, which closes its connections behind the hundredth request. */
  @Test
  void aStreamThatDoesMuchInAShortLifeLeavesTheKernel() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    server.ask("serve l echo");
    client.ask("busy " + port + " " + BUSY, Patience.DEADLINE); // it is young, and learns
    final Map<String, Long> before = children.totals(client);
    client.ask("busy " + port + " " + BUSY, Patience.DEADLINE);
    Map<String, Long> now = children.totals(client);
    assertThat(now.get("streamsJoined") - before.get("streamsJoined"))
        .as("of %s", BUSY)
        .isGreaterThan(BUSY / 2);
    long onRing = now.get("ringBytesOut") - before.get("ringBytesOut");
    long onTcp = now.get("plainBytesOut") - before.get("plainBytesOut");
    assertThat(onRing).as("%s bytes on TCP", onTcp).isGreaterThan(onTcp / 4);
  }
}
