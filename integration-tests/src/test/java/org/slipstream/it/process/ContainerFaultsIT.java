package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.HostConfig;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.process.Boxes.Box;
import org.slipstream.testkit.Patience;

/**
 * What is done to containers under load looks from the other one as it does on TCP. Each fault is
 * done to a pair without Slipstream first: what is asserted of both is what TCP does.
 */
class ContainerFaultsIT {
  private static final String SHARED = "-Dslipstream.dir=/shared/run";

  /** The length of a fault in milliseconds; not a wait for something. */
  private static final long FAULT_MS = 300;

  /** Longer than an offer or a question is waited for: 5 and 2 seconds. */
  private static final long LONG_FAULT_MS = 7_000;

  /** What a stream has to do to be offered, and some more. */
  private static final int WRITES = 3;

  @RegisterExtension static final Engine ENGINE = new Engine();

  // Containers end first, and then the directory that they share goes.
  @Order(1)
  @RegisterExtension
  final Children children = new Children();

  @Order(2)
  @RegisterExtension
  final Boxes boxes = new Boxes(children);

  /** What carries the streams of a pair. */
  enum Row {
    STOCK,
    RING;

    Peer peer(Box box) throws Exception {
      return this == STOCK ? box.plain() : box.accelerated(SHARED);
    }

    BoxPair settled(BoxPair pair) throws Exception {
      return this == STOCK ? pair : pair.onTheRing();
    }

    long ringBytes(BoxPair pair) throws Exception {
      return this == STOCK ? 0 : pair.ringBytes();
    }

    /** A load goes to rings that had carried so much before; what overflowed comes back. */
    void awaitCarried(BoxPair pair, long before) {
      if (this == RING) {
        Children.soon()
            .alias("bytes on rings")
            .until(() -> pair.ringBytes() - before, grown -> grown > 1_000_000);
      }
    }
  }

  /** How a container ends. */
  enum End {
    KILL,
    STOP;

    void of(Box box) {
      if (this == KILL) {
        box.kill();
      } else {
        box.stop();
      }
    }
  }

  private Consumer<HostConfig> sharing() {
    return Boxes.sharing(children.home());
  }

  private BoxPair pair(Row row) throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.start(sharing());
    return row.settled(BoxPair.connect(a, row.peer(a), b, row.peer(b)));
  }

  /** Opens a stream on which no end echoes: {@code q} of the client, {@code s} of the server. */
  private static void quiet(Row row, BoxPair pair) throws Exception {
    int port = Integer.parseInt(pair.server().ask("listen quiet 0 0.0.0.0"));
    pair.client().ask("connect q " + port + " " + pair.serverBox().address());
    pair.server().ask("accept quiet s");
    toTheRing(row, pair);
  }

  private static void toTheRing(Row row, BoxPair pair) {
    Children.soon()
        .until(() -> {
          transfer(pair.client(), "q", pair.server(), "s");
          transfer(pair.server(), "s", pair.client(), "q");
          List<StreamLine> lines = row == Row.STOCK ? List.of() : pair.lines();
          return lines.stream().allMatch(StreamLine::onRing)
              && (row == Row.STOCK || lines.size() == 2 * pair.streams() + 2);
        });
  }

  private static void transfer(Peer from, String out, Peer to, String in) throws Exception {
    from.ask("write " + out + " 10 1");
    to.ask("read " + in + " 10 1");
  }

  // -- faults that pass ------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(Row.class)
  void aPausedContainerIsASlowOne(Row row) throws Exception {
    BoxPair pair = pair(row);
    final long before = row.ringBytes(pair);
    List<CompletableFuture<String>> loads = pair.begin("load", 20_000);
    for (Box box : List.of(pair.serverBox(), pair.clientBox())) {
      box.pause();
      Thread.sleep(FAULT_MS);
      assertThat(loads).noneMatch(CompletableFuture::isDone);
      box.unpause();
    }
    row.awaitCarried(pair, before);
    pair.endLoad(loads);
    row.settled(pair).assertNoErrors();
  }

  /**
   * Longer than every timer of ours: an offer is under way and is given up as late, and the stream
   * leaves TCP when the container goes on.
   */
  @Test
  void aContainerMayBePausedForLongerThanAnOfferIsWaitedFor() throws Exception {
    BoxPair pair = pair(Row.RING);
    final int port = Integer.parseInt(pair.server().ask("listen quiet 0 0.0.0.0"));
    final long before = pair.ringBytes();
    List<CompletableFuture<String>> loads = pair.begin("load", 20_000);
    pair.serverBox().pause();
    long paused = System.nanoTime();
    pair.client().ask("connect q " + port + " " + pair.serverBox().address());
    for (int i = 0; i < WRITES; i++) {
      pair.client().ask("write q 10 1");
    }
    Children.soon()
        .untilAsserted(() ->
            assertThat(pair.client().streams())
                .hasSize(pair.streams() + 1)
                .filteredOn(s -> s.remote().endsWith(":" + port))
                .hasSize(1)
                .allMatch(s -> s.reason().equals("TIMED_OUT") && s.ringBytes() == 0));
    Thread.sleep(
        Math.max(0, LONG_FAULT_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - paused)));
    assertThat(loads).noneMatch(CompletableFuture::isDone);
    pair.serverBox().unpause();
    pair.server().ask("accept quiet s");
    for (int i = 0; i < WRITES; i++) {
      pair.server().ask("read s 10 1");
    }
    toTheRing(Row.RING, pair);
    Row.RING.awaitCarried(pair, before);
    pair.endLoad(loads);
    pair.client().ask("close q");
    pair.server().ask("close s");
    pair.onTheRing().assertNoErrors();
  }

  @ParameterizedTest
  @EnumSource(Row.class)
  void bytesWaitForANetworkThatComesBack(Row row) throws Exception {
    BoxPair pair = pair(row);
    final long before = row.ringBytes(pair);
    List<CompletableFuture<String>> loads = pair.begin("load", 20_000);
    for (Box box : List.of(pair.serverBox(), pair.clientBox())) {
      String address = box.address();
      box.disconnect();
      Thread.sleep(FAULT_MS);
      assertThat(loads).noneMatch(CompletableFuture::isDone);
      box.reconnect(address);
    }
    row.awaitCarried(pair, before);
    pair.endLoad(loads);
    row.settled(pair).assertNoErrors();
  }

  /**
   * On TCP nothing comes through while the network is away. Bytes in the ring do, to a reader that
   * looks; one that sleeps waits for the control byte that wakes it, and so for the network.
   */
  @ParameterizedTest
  @EnumSource(Row.class)
  void withoutANetworkTheRingIsReadAndSleepersSleep(Row row) throws Exception {
    BoxPair pair = pair(row);
    quiet(row, pair);
    String address = pair.serverBox().address();
    pair.serverBox().disconnect();
    pair.client().ask("write q 1000 2");
    CompletableFuture<String> looking = pair.server().begin("read s 1000 2");
    if (row == Row.RING) {
      pair.server().ok(looking, "what is in the ring, without a network");
    }
    CompletableFuture<String> sleeping = pair.client().begin("read q 1000 3");
    Thread.sleep(FAULT_MS); // it sleeps by now
    pair.server().ask("write s 1000 3");
    Thread.sleep(FAULT_MS);
    assertThat(looking.isDone()).isEqualTo(row == Row.RING);
    assertThat(sleeping).isNotDone();
    pair.serverBox().reconnect(address);
    pair.server().ok(looking, Patience.LONG, "what was sent without a network");
    pair.client().ok(sleeping, Patience.LONG, "what was sent without a network");
    pair.client().ask("close q");
    pair.server().ask("close s");
    row.settled(pair).assertNoErrors();
  }

  // -- ends ------------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"STOCK, KILL", "STOCK, STOP", "RING, KILL", "RING, STOP"})
  void theEndOfAServersContainerEndsAllItsStreams(Row row, End end) throws Exception {
    BoxPair pair = pair(row);
    quiet(row, pair);
    CompletableFuture<String> waiting = pair.client().begin("readToEnd q 1");
    List<CompletableFuture<String>> loads = pair.begin("exchangeToEnd", 20_000);
    end.of(pair.serverBox());
    pair.assertEnds(loads);
    // Nothing was under way here: the kernel of this machine says FIN before the namespace goes.
    assertThat(pair.client().ok(waiting, "the end")).isEqualTo("eof 0");
    assertThat(pair.client().errors()).isEmpty();
  }

  /** The server reads the end of each, and serves the next client. */
  @ParameterizedTest
  @CsvSource({"STOCK, KILL", "STOCK, STOP", "RING, KILL", "RING, STOP"})
  void aServerOutlivesTheContainersOfItsClients(Row row, End end) throws Exception {
    BoxPair pair = pair(row);
    quiet(row, pair);
    CompletableFuture<String> waiting = pair.server().begin("readToEnd s 1");
    List<CompletableFuture<String>> loads = pair.begin("exchangeToEnd", 20_000);
    assertThat(loads).noneMatch(CompletableFuture::isDone);
    end.of(pair.clientBox());
    assertThat(pair.server().ok(waiting, "the end")).isEqualTo("eof 0");
    pair.server().ask("close s");
    if (row == Row.RING) {
      Children.soon().untilAsserted(() -> assertThat(pair.server().streams()).isEmpty());
    }
    Box next = boxes.start(sharing());
    BoxPair again = BoxPair.connect(pair.serverBox(), pair.server(), next, row.peer(next));
    row.settled(again).assertNoErrors();
  }
}
