package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** Two unmodified programs over a real queue pair. Runs inside the guest. */
public class RdmaPeersRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final String RDMA = "-Dslipstream.transports=rdma,shm";
  private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

  private static final Duration PATIENCE = Patience.DEADLINE;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  @Test
  void anExchangeTravelsByRdma() throws Exception {
    processes();
    String port = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
    client.ask("connect c " + port + " " + HOST);
    Children.soon()
        .until(() -> {
          client.ask("exchange c 5 2000 1");
          List<StreamLine> all = children.streams();
          return all.size() == 2 && all.stream().allMatch(StreamLine::onRing);
        });
    long before = packets();
    client.ask("exchange c 50 20000 1");
    assertThat(packets() - before).as("packets that the device sent").isGreaterThan(50);
    // An emulated process may need more than one question.
    Children.soon()
        .untilAsserted(() -> {
          List<StreamLine> lines = children.streams();
          assertThat(lines).hasSize(2);
          assertThat(lines).allMatch(s -> s.carrier().equals("rdma"));
          assertThat(lines).allMatch(s -> s.ringIn() > 300_000 && s.ringOut() > 300_000);
        });
    client.ask("close c");
  }

  @Test
  void bulkIsWhole() throws Exception {
    start();
    CompletableFuture<String> reading = server.begin("read s 8000000 3");
    client.ask("write c 8000000 3");
    server.ok(reading, "read");
    client.ask("shutdown c");
    assertThat(server.ask("readToEnd s 1")).isEqualTo("eof 0");
    assertThat(children.stream(client).ringOut()).isGreaterThan(200_000);
  }

  @Test
  void aKilledPeerIsAReset() throws Exception {
    start();
    client.kill();
    assertThat(server.result(server.begin("readToEnd s 1"), PATIENCE, "the end"))
        .startsWith("ok reset 0");
    assertThat(server.result(server.begin("writeToEnd s 1"), PATIENCE, "the end"))
        .startsWith("ok broken");
  }

  private void roundTrip() throws Exception {
    client.ask("write c 10 1");
    server.ask("read s 10 1");
    server.ask("write s 10 1");
    client.ask("read c 10 1");
  }

  private void processes() throws Exception {
    List<Peer> pair = children.acceleratedPair(RDMA, NATIVE);
    server = pair.get(0);
    client = pair.get(1);
  }

  /** A connection between two processes that travels by RDMA in both directions. */
  private void start() throws Exception {
    processes();
    String port = server.ask("listen l 0 " + HOST);
    client.ask("connect c " + port + " " + HOST);
    server.ask("accept l s");
    Children.soon()
        .until(() -> {
          roundTrip();
          List<StreamLine> all = children.streams();
          return all.size() == 2 && all.stream().allMatch(StreamLine::onRing);
        });
  }

  /** What the devices say: RDMA does not pass the counters of network devices. */
  private static long packets() throws IOException {
    try (Stream<Path> counters = Files.walk(Path.of("/sys/class/infiniband/rxe0/ports/1"), 2)) {
      long sum = 0;
      for (Path counter :
          counters.filter(p -> p.getFileName().toString().equals("sent_pkts")).toList()) {
        sum += Long.parseLong(Files.readString(counter).strip());
      }
      return sum;
    }
  }
}
