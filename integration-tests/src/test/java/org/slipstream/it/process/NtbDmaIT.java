package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Alone;

/** Programs on two nodes of a loopback SISCI fabric whose adapters have a DMA engine. */
@Alone("the DMA engine of the loopback library has 50 ms to answer, or is given up with a warning")
class NtbDmaIT {
  @RegisterExtension final Children children = new Children();

  @Test
  void dmaCarriesLargePieces() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    String[] flags = {"-Dslipstream.ntb.dma=32768", "-Dslipstream.ring.size=256k"};
    Peer server = nodes.start(8, flags);
    Peer client = nodes.start(4, flags);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    nodes.largestDma();
    nodes.carryMost(client, "exchange c 300 100000 42");
    assertThat(nodes.largestDma()).as("given to an engine at once").isBetween(32_768, 65_536);
  }

  /** As every process does that is told nothing else. */
  @Test
  void anEngineIsMeasuredBeforeItIsUsed() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    String[] flags = {
      "-Dslipstream.ntb.dma=auto", "-Dslipstream.ring.size=256k", "-Dslipstream.transports=ntb"
    };
    Peer server = nodes.start(8, flags);
    Peer client = nodes.start(4, flags);
    int port = nodes.serve(server, 8, "echo");
    nodes.largestDma();
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    assertThat(nodes.largestDma()).as("given to an engine at once").isPositive();
    nodes.carryMost(client, "exchange c 300 10000 42");
    assertThat(client.end()).isZero();
    assertThat(server.end()).isZero();
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }
}
