package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A device in software that gets no processor, because others keep all of them busy: what comes
 * over it comes later than over TCP, and the streams of a program that may leave it do. Runs inside
 * the guest, where all other rows stay on RDMA.
 */
public class RdmaSlowRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  /** For each processor. */
  private static final int BUSY = 2;

  private final Children children = new Children();
  private final List<Process> busy = new ArrayList<>();

  @BeforeEach
  void begin() throws Exception {
    children.begin();
  }

  @AfterEach
  void end() throws Exception {
    rest();
    children.end(true);
  }

  private Peer start() throws Exception {
    return children.accelerated(
        "-Dslipstream.transports=rdma",
        "-Dslipstream.rdma.slow=leave",
        "--enable-native-access=ALL-UNNAMED");
  }

  private void work() throws Exception {
    for (int i = 0; i < BUSY * Runtime.getRuntime().availableProcessors(); i++) {
      busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
    }
  }

  private void rest() {
    busy.forEach(Process::destroyForcibly);
    busy.clear();
  }

  @Test
  void aSessionThatIsSlowerThanTcpIsLeftWithAReasonAndComesBack() throws Exception {
    Peer server = start();
    Peer client = start();
    String echo = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
    client.ask("connect c " + echo + " " + HOST);
    awaitRdma(client);
    CompletableFuture<String> load = client.begin("load c 64 1");
    work();
    Children.soon()
        .untilAsserted(() -> {
          assertThat(load).as("nothing is lost or changed").isNotDone();
          assertThat(children.stream(client))
              .returns("tcp", StreamLine::carrier)
              .returns("SLOWER_THAN_TCP", StreamLine::reason);
        });
    rest();
    client.ask("enough");
    assertThat(Integer.parseInt(client.ok(load, "load"))).isPositive();
    Tool.Said sessions =
        Tool.run(List.of(), "ps", "--sessions", "--dir", children.directory().toString());
    System.out.println(sessions.text());
    assertThat(sessions.text())
        .containsPattern(
            "answers took \\d+ us over rdma, and a round trip of it \\d+ us(, of TCP \\d+ us)?:"
                + " its streams try TCP");
    awaitRdma(client);
  }

  /** A session that was slow while it was made stays away for a while. */
  private void awaitRdma(Peer client) {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 100 2000 1");
          assertThat(children.stream(client).carrier()).isEqualTo("rdma");
        });
  }
}
