package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As {@link ShortHeapIT}, of the event thread of RDMA. Runs inside the guest, where a program takes
 * twenty seconds to start.
 */
public class RdmaShortHeapRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final String EVENTS = "slipstream-rdma";

  /** Every so many of its allocations fails, in another stream's time each. */
  private static final int STEP = 9;

  /** So many streams in a row for which it allocated less than was asked for. */
  private static final int ENOUGH = 2;

  /** More than what it allocates while it ends a session and makes another one. */
  private static final int MOST = 180;

  /** Often the copy of a message: without it the session ends, and another one is made. */
  private static final int ENDS_SESSION = 4;

  private static final Children CHILDREN = new Children();

  @TempDir private static Path directory;

  private static Peer server;
  private static Peer client;
  private static String port;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    String agent = "-javaagent:" + ShortHeapAgent.jar(directory.resolve("short-heap.jar"));
    List<Peer> pair =
        CHILDREN.acceleratedPair(
            "-Dslipstream.transports=rdma",
            "-Dslipstream.rdma.slow=stay",
            "--enable-native-access=ALL-UNNAMED",
            agent);
    server = pair.get(0);
    client = pair.get(1);
    port = server.ask("listen l 0 " + HOST);
    server.ask("serve l echo");
    join("first");
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  /** A stream that is by RDMA in the end, whatever became of the session before. */
  private static void join(String stream) throws Exception {
    client.ask("connect " + stream + " " + port + " " + HOST);
    CHILDREN.upgrade(client, stream);
    client.ask("close " + stream);
  }

  @Test
  void anyAllocationOfTheEventThreadMayFailOnce() throws Exception {
    int failures = failInTurn(server, client) + failInTurn(client, server);
    assertThat(failures).isGreaterThan(5);
  }

  private static int failInTurn(Peer poor, Peer other) throws Exception {
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH && skip < MOST; skip += STEP) {
      client.ask("connect c " + port + " " + HOST);
      client.ask("exchange c 10 2000 1");
      other.ask("failAllocations " + EVENTS + " " + ENDS_SESSION + " 1");
      poor.ask("failAllocations " + EVENTS + " " + skip + " 1");
      for (int i = 0; i < 10; i++) {
        client.ask("exchange c 10 3000 " + i);
        Thread.sleep(20);
      }
      other.ask("endFailures");
      int failed = Integer.parseInt(poor.ask("endFailures"));
      System.out.println(skip + ": " + failed + " failed");
      client.ask("exchange c 10 3000 1");
      client.ask("close c");
      join("c");
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
    }
    return failures;
  }
}
