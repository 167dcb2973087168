package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As {@link ShortHeapIT}, of the threads of NTB. */
class NtbShortHeapIT {
  /** Every so many of its allocations fails, in another stream's time each. */
  private static final int STEP = 17;

  /** So many streams in a row for which a thread allocated less than was asked for. */
  private static final int ENOUGH = 2;

  /** More than what it allocates while a session is made. */
  private static final int MOST = 200;

  /** Waits for messages of other nodes; {@code slipstream-ntb-4} on node 4. */
  private static final String MESSAGES = "slipstream-ntb-";

  @RegisterExtension final Children children = new Children();

  @TempDir private Path directory;

  private Nodes nodes;
  private Peer server;
  private Peer client;
  private int port;

  private void begin() throws Exception {
    nodes = new Nodes(children, "loopback", "direct");
    String agent = "-javaagent:" + ShortHeapAgent.jar(directory.resolve("short-heap.jar"));
    server = nodes.start(8, "-Dslipstream.transports=ntb", agent);
    client = nodes.start(4, "-Dslipstream.transports=ntb", agent);
    port = nodes.serve(server, 8, "echo");
    join();
  }

  /** A stream that is by NTB in the end, whatever became of the session before. */
  private void join() throws Exception {
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    close();
  }

  private void close() throws Exception {
    client.ask("close c");
    Children.soon().until(() -> nodes.streams().isEmpty());
  }

  /** It may have an answer that is final for it, but has one. */
  private boolean isAnswered() {
    return nodes.streams().stream().noneMatch(s -> s.reason().equals("OFFERED"));
  }

  /** A node without memory for a message ends its sessions: another one is made in each turn. */
  @ParameterizedTest
  @CsvSource({
    "4, slipstream-ntb-setup, 8",
    "8, slipstream-ntb-setup, 4",
    "4, slipstream-ntb-4, 8",
    "8, slipstream-ntb-8, 4",
    "4, slipstream-control, 8",
    "8, slipstream-control, 4"
  })
  void anyAllocationOfAThreadMayFailOnce(int poor, String thread, int other) throws Exception {
    begin();
    Peer starved = poor == 4 ? client : server;
    Peer fed = poor == 4 ? server : client;
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH && skip < MOST; skip += STEP) {
      client.ask("connect c " + port + " " + Nodes.address(8));
      client.ask("exchange c 10 2000 1");
      starved.ask("failAllocations " + thread + " " + skip + " 1");
      fed.ask("failAllocations " + MESSAGES + other + " 0 1");
      for (int i = 0; i < 10; i++) {
        client.ask("exchange c 10 3000 " + i);
        Thread.sleep(20);
      }
      fed.ask("endFailures");
      int failed = Integer.parseInt(starved.ask("endFailures"));
      client.ask("exchange c 10 3000 1");
      System.out.println(thread + " " + skip + ": " + failed + " failed");
      Children.soon().until(this::isAnswered);
      close();
      join();
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
    }
    assertThat(failures).isPositive();
  }
}
