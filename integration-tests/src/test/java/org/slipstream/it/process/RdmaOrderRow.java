package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.testkit.Extent;

/**
 * Unmodified programs with each order of writes and positions, and what that costs here. Soft-RoCE
 * keeps the order: that the others are safe where it is not kept, {@code RdmaOrderTest} shows. Runs
 * inside the guest.
 */
public class RdmaOrderRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final int ROUNDS = Extent.of(300);
  private static final int BULK = Extent.of(4_000_000);

  private final Children children = new Children();

  @BeforeEach
  void begin() throws Exception {
    children.begin();
  }

  @AfterEach
  void end() throws Exception {
    children.end(true);
  }

  /** The last one: two ends that want different things use the stricter. */
  @ParameterizedTest
  @CsvSource({
    "trusted, trusted",
    "checksummed, checksummed",
    "completed, completed",
    "trusted, completed"
  })
  void everyByteIsTheOneThatWasSent(String ofServer, String ofClient) throws Exception {
    Peer server = start(ofServer);
    Peer client = start(ofClient);
    String echo = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
    Children.soon()
        .until(() -> {
          client.ask("connect c " + echo + " " + HOST);
          client.ask("exchange c 100 2000 1");
          boolean rdma = children.stream(client).carrier().equals("rdma");
          if (!rdma) {
            client.ask("close c"); // opened before there was a queue pair: it may stay plain
          }
          return rdma;
        });
    StreamLine before = children.stream(client);
    StringBuilder cost = new StringBuilder("order " + ofServer + " and " + ofClient + ":");
    for (int largest : new int[] {64, 1_000, 20_000}) {
      long began = System.nanoTime();
      client.ask("exchange c " + ROUNDS + " " + largest + " 7");
      cost.append(' ').append((System.nanoTime() - began) / ROUNDS / 1_000).append(" us up to ");
      cost.append(largest).append(" B;");
    }
    StreamLine after = children.stream(client);
    assertThat(after.ringBytes() - before.ringBytes())
        .as("bytes over the ring")
        .isGreaterThan(after.plainBytes() - before.plainBytes());
    assertThat(children.failovers()).as("sessions that were given up").isZero();
    client.ask("close c");

    String port = server.ask("listen l 0 " + HOST);
    client.ask("connect d " + port + " " + HOST);
    server.ask("accept l s");
    long began = System.nanoTime();
    CompletableFuture<String> reading = server.begin("read s " + BULK + " 3");
    client.ask("write d " + BULK + " 3");
    server.ok(reading, "read");
    cost.append(' ').append(BULK * 1_000L / (System.nanoTime() - began)).append(" MB/s");
    System.out.println(cost);
    client.ask("shutdown d");
    assertThat(server.ask("readToEnd s 1")).isEqualTo("eof 0");
  }

  private Peer start(String order) throws Exception {
    return children.accelerated(
        List.of(
                "-Dslipstream.transports=rdma,shm",
                "--enable-native-access=ALL-UNNAMED",
                "-Dslipstream.rdma.order=" + order)
            .toArray(new String[0]));
  }
}
