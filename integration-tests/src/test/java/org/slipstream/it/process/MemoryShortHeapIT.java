package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * As {@link ShortHeapIT}, of a memory server and its clients: whatever fails in a reservation, its
 * chunks are lent anew, and no process keeps them mapped.
 */
class MemoryShortHeapIT extends ReservedMemory {
  private static final int CHUNKS = 8;

  /** Every so many of its allocations fails, in another reservation each. */
  private static final int STEP = 5;

  /** So many reservations in a row for which a thread allocated less than was asked for. */
  private static final int ENOUGH = 2;

  /** More than what it allocates for a reservation. */
  private static final int MOST = 1200;

  @TempDir private Path directory;

  private Peer server;

  @BeforeEach
  void threeProcesses() throws Exception {
    String agent = "-javaagent:" + ShortHeapAgent.jar(directory.resolve("short-heap.jar"));
    server = launch(agent);
    holder = launch(agent);
    other = launch(agent);
    for (Peer each : List.of(server, holder, other)) {
      each.awaitReady();
    }
    server.ask("serve " + CHUNKS * CHUNK + " " + CHUNK);
    holder.ask("keep " + CHUNK);
    holder.ask("reserve r name " + 3 * CHUNK); // with all classes, and sessions
    other.ask("mapReserved m name");
    assertThat(mapped(holder)).isEqualTo(3);
    assertThat(mapped(other)).isEqualTo(3);
    other.ask("release m");
    holder.ask("release r");
  }

  /** Of each command it is well if it fails, with whatever error, in a process without memory. */
  private int reserve(String poor) throws Exception {
    int failed = 0;
    failed += failures(answer(holder, poor + "reserve r name " + 3 * CHUNK), poor);
    failed += failures(answer(holder, poor + "reserve s - " + 2 * CHUNK), poor);
    failed += failures(answer(other, poor + "mapReserved m name"), poor);
    failed += failures(answer(other, poor + "release m"), poor);
    failed += failures(answer(holder, poor + "release s"), poor);
    failed += failures(answer(holder, poor + "reserve s - " + CHUNK), poor); // of what is kept
    failed += failures(answer(holder, poor + "release r"), poor);
    failed += failures(answer(holder, poor + "release s"), poor);
    return failed;
  }

  private static int failures(String answer, String poor) {
    return poor.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", -1)[1]);
  }

  private static long mapped(Peer peer) throws Exception {
    try (var lines = Files.lines(Path.of("/proc/" + peer.pid() + "/maps"))) {
      return lines.filter(line -> line.contains("region-")).count();
    }
  }

  private void assertNothingIsLost(String what) throws Exception {
    holder.ask("trim");
    System.out.println(
        what + " " + mapped(holder) + " " + mapped(other) + " " + server.ask("free"));
    Children.soon().alias(what).until(() -> server.ask("free").equals("" + CHUNKS));
    assertThat(answer(holder, "reserve all name " + CHUNKS * CHUNK)).as(what).isEqualTo("ok");
    assertThat(answer(holder, "release all")).as(what).isEqualTo("ok");
    holder.ask("trim");
    Children.soon().alias(what).until(() -> server.ask("free").equals("" + CHUNKS));
    Children.soon().alias(what).until(() -> mapped(holder) + mapped(other) == 0);
  }

  @ParameterizedTest
  @CsvSource({
    "server, slipstream-memory",
    "server, slipstream-memory-cleaner",
    "holder, slipstream-memory",
    "other, slipstream-memory"
  })
  void anyAllocationOfAThreadMayFail(String whose, String thread) throws Exception {
    Peer poor = whose.equals("server") ? server : whose.equals("holder") ? holder : other;
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH && skip < MOST; skip += STEP) {
      poor.ask("failAllocations " + thread + " " + skip + " 1");
      reserve("");
      int failed = Integer.parseInt(poor.ask("endFailures"));
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
      assertNothingIsLost(whose + ", " + thread + ", allocation " + skip);
    }
    assertThat(failures).isPositive();
    assertThat(unharmed).as("it never allocated less").isEqualTo(ENOUGH);
  }

  @Test
  void anyAllocationOfACallMayFail() throws Exception {
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH && skip < MOST; skip++) {
      int failed = reserve("poor " + skip + " 1 ");
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
      assertNothingIsLost("a call, allocation " + skip);
    }
    assertThat(failures).isPositive();
    assertThat(unharmed).as("it never allocated less").isEqualTo(ENOUGH);
  }
}
