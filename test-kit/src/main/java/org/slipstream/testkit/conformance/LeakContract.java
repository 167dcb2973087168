package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** What has been closed is gone: no descriptor and no thread stays behind. */
public abstract class LeakContract extends NioContract {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int WARM_UP = 5;
  private static final int CYCLES = 60;
  private static final int SLACK = 8;
  private static final Duration GRACE = Patience.DEADLINE;

  /** Nothing is opened yet. */
  protected LeakContract() {}

  @Test
  void closedStreamsLeaveNothingBehind() throws Exception {
    ServerSocketChannel listener = net().listen();

    assertLeavesNothingBehind(network -> {
      Pair pair = network.pair(listener);
      Bytes.exchange(pair.client(), pair.server(), "hello");
    });
  }

  @Test
  void closedSettledStreamsLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(network -> {
      Pair pair = network.settledPair();
      Bytes.exchange(pair.client(), pair.server(), "hello");
    });
  }

  @Test
  void resetStreamsLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(network -> {
      Pair pair = network.settledPair();
      Bytes.write(pair.server(), "unread");
      Pair.reset(pair.client());
    });
  }

  @Test
  void closedStreamsOfASelectorThatGoesOnLeaveNothingBehind() throws Exception {
    Selector selector = net().selector();

    assertLeavesNothingBehind(network -> {
      Pair pair = network.settledPair().configureBlocking(false);
      pair.client().register(selector, OP_READ);
      pair.server().register(selector, OP_READ);
      Bytes.write(pair.client(), "x");
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
      selector.selectedKeys().clear();
      pair.client().close();
      pair.server().close();
      selector.selectNow();
    });
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void streamsThatAreClosedAfterTheirKeyIsCancelledLeaveNothingBehind() throws Exception {
    Selector selector = net().selector();

    assertLeavesNothingBehind(network -> {
      Pair pair = network.freshPair().configureBlocking(false);
      pair.client().register(selector, OP_READ).cancel();
      pair.client().close();
      selector.selectNow();
    });
  }

  @Test
  void closedSelectorsLeaveNothingBehind() throws Exception {
    Pair pair = net().settledNonBlockingPair();

    assertLeavesNothingBehind(network -> {
      Selector selector = network.selector();
      pair.client().register(selector, OP_READ);
      selector.selectNow();
      ServerSocketChannel listener = network.listen();
      listener.configureBlocking(false);
      listener.register(selector, OP_ACCEPT);
      listener.close();
      selector.close();
    });
    assertThat(pair.client().isRegistered()).isFalse();
  }

  @Test
  void failedConnectionsLeaveNothingBehind() throws Exception {
    InetSocketAddress nobody = net().deadAddress();
    Selector selector = net().selector();

    assertLeavesNothingBehind(network -> {
      SocketChannel blocking = network.open();
      SocketChannel pending = network.open();
      pending.configureBlocking(false);
      pending.register(selector, OP_CONNECT);
      try {
        if (!pending.connect(nobody)) {
          selector.select(Patience.DEADLINE.toMillis());
          pending.finishConnect();
        }
      } catch (IOException expected) {
        assertThat(pending.isOpen()).isFalse();
      }
      try {
        blocking.connect(nobody);
      } catch (IOException expected) {
        assertThat(blocking.isOpen()).isFalse();
      }
      selector.selectNow();
    });
  }

  @Test
  void interruptedStreamsLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(network -> {
      Pair pair = network.settledPair();
      Background<Integer> read = Background.call(() -> Bytes.readOne(pair.client()));
      read.thread().interrupt();
      read.failure();
    });
  }

  /** One cycle; everything that it takes from the network is closed afterwards. */
  @FunctionalInterface
  private interface Cycle {
    void run(Network network) throws Exception;
  }

  private void assertLeavesNothingBehind(Cycle cycle) throws Exception {
    assumeTrue(Files.isDirectory(DESCRIPTORS), "there is no /proc to count descriptors in");
    run(cycle, WARM_UP);
    long descriptors = descriptors();
    int threads = Thread.getAllStackTraces().size();

    run(cycle, CYCLES);

    Patience.await()
        .atMost(GRACE)
        .untilAsserted(() -> {
          assertThat(descriptors()).as("descriptors").isLessThan(descriptors + SLACK);
          assertThat(Thread.getAllStackTraces().size()).as("threads").isLessThan(threads + SLACK);
        });
  }

  private void run(Cycle cycle, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      try (Network network = new Network(carrier())) {
        cycle.run(network);
      }
    }
  }

  private static long descriptors() {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
