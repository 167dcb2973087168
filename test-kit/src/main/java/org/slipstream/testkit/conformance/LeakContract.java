package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.LeakCheck;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** What has been closed is gone: no descriptor, no thread, no link and no memory stays behind. */
@Tag(LeakCheck.WHOLE_PROCESS)
public abstract class LeakContract extends NioContract {

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
    InetSocketAddress dead = net().deadAddress();
    Selector selector = net().selector();

    assertLeavesNothingBehind(network -> {
      SocketChannel blocking = network.open();
      SocketChannel pending = network.open();
      pending.configureBlocking(false);
      pending.register(selector, OP_CONNECT);
      try {
        if (!pending.connect(dead)) {
          selector.select(Patience.DEADLINE.toMillis());
          pending.finishConnect();
        }
      } catch (IOException expected) {
        assertThat(pending.isOpen()).isFalse();
      }
      try {
        blocking.connect(dead);
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
    LeakCheck.assertLeavesNothingBehind(
        carrier(),
        () -> {
          try (Network network = new Network(carrier())) {
            cycle.run(network);
          }
        });
  }
}
