package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Unmodified programs on two nodes of a loopback SISCI fabric whose link comes and goes; apart from
 * {@link NtbNodesIT}, so that it runs beside it.
 */
class NtbCutsIT {
  private static final int CUTS = Integer.getInteger("slipstream.test.cuts", 200);

  @RegisterExtension final Children children = new Children();

  /**
   * The cable of a node is pulled and put back under load, again and again. Stores that are under
   * way then vanish, and later ones arrive: nothing may be lost, doubled or made up, and the stream
   * comes back to the link.
   */
  @Test
  void aLinkThatGoesDownAndComesBackLosesNothing() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "deferred");
    Peer server = nodes.start(8, "-Dslipstream.ring.size=16k");
    Peer client = nodes.start(4, "-Dslipstream.ring.size=16k");
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    int seed = 1;
    for (int cut = 0; cut < CUTS; cut++) {
      CompletableFuture<String> traffic = client.begin("exchange c 400 4000 " + seed++);
      nodes.setLink(8, false);
      Children.soon()
          .untilAsserted(() -> assertThat(nodes.streams()).noneMatch(StreamLine::onRing));
      nodes.setLink(8, true);
      client.ok(traffic, "exchange in cut " + cut);
      nodes.upgrade(client, "c", 2);
    }
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }
}
