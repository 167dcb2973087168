package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;

/** When a key is ready, for how long, and that it says so each time: readiness is a level. */
public abstract class ReadinessContract extends NioContract {

  private static final long LONG_MILLIS = Patience.DEADLINE.toMillis();

  /** Nothing is opened yet. */
  protected ReadinessContract() {}

  @Test
  void aListenerIsAcceptableUntilNoConnectionWaits() throws Exception {
    Selector selector = net().selector();
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(false);
    listener.register(selector, OP_ACCEPT);
    assertThat(readyOps(selector, 0)).isZero();
    net().connect(listener);
    net().connect(listener);

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_ACCEPT);
    net().closing(listener.accept());
    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_ACCEPT);
    net().closing(listener.accept());

    assertThat(readyOps(selector, 0)).isZero();
    assertThat(listener.accept()).isNull();
  }

  @Test
  void aStreamIsConnectableOnceAndThenReadableAndWritable() throws Exception {
    Selector selector = net().selector();
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();
    client.configureBlocking(false);
    SelectionKey key = client.register(selector, OP_CONNECT | OP_READ | OP_WRITE);

    if (!client.connect(listener.getLocalAddress())) {
      assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_CONNECT);
      assertThat(client.finishConnect()).isTrue();
    }

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_WRITE);
    Bytes.write(net().closing(listener.accept()), "x");
    key.interestOps(OP_CONNECT | OP_READ);
    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
  }

  @Test
  void aRefusedConnectionIsConnectableAndFinishingSaysWhy() throws Exception {
    Selector selector = net().selector();
    SocketChannel client = net().open();
    client.configureBlocking(false);
    SelectionKey key = client.register(selector, OP_CONNECT);

    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> {
          client.connect(net().deadAddress());
          assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_CONNECT);
          client.finishConnect();
        });

    assertThat(key.isValid()).isFalse();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aNewStreamIsWritableAndNotReadable() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().freshPair().configureBlocking(false);
    pair.client().register(selector, OP_READ | OP_WRITE);

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_WRITE);
  }

  @Test
  void aStreamStaysReadableUntilItIsDrained() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "abcdefghij");

    for (int i = 0; i < 10; i++) {
      assertThat(readyOps(selector, LONG_MILLIS)).as("before byte %d", i).isEqualTo(OP_READ);
      Bytes.read(pair.client(), 1);
    }

    assertThat(readyOps(selector, 0)).isZero();
    assertThat(readyOps(selector, 50)).isZero();
  }

  @Test
  void aStreamAtItsEndIsReadableForEver() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "bye");
    pair.server().close();

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
    assertThat(Bytes.read(pair.client(), 3)).isEqualTo("bye");
    for (int i = 0; i < 5; i++) {
      assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
      assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    }
  }

  @Test
  void aResetStreamIsReadableAndReadingSaysSo() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Pair.reset(pair.server());

    for (int i = 0; i < 3; i++) {
      assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> Bytes.readOne(pair.client()))
          .withMessage("Connection reset");
    }
    key.cancel();
  }

  @Test
  void aStreamWhosePeerIsGoneIsWritableAndWritingSaysSo() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    Bytes.fillUp(pair.client(), new Tape(1));
    pair.client().register(selector, OP_WRITE);
    assertThat(readyOps(selector, 0)).isZero();

    pair.server().close();

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_WRITE);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> pair.client().write(Bytes.ascii("anybody there")));
  }

  @Test
  void aStreamIsNotWritableWhileItsPeerDoesNotRead() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_WRITE);
    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_WRITE);

    for (int round = 0; round < 2; round++) {
      Tape sent = new Tape(round);
      long accepted = Bytes.fillUp(pair.client(), sent);
      assertThat(readyOps(selector, 0)).isZero();
      assertThat(readyOps(selector, 100)).isZero();

      Bytes.readTape(pair.server(), new Tape(round), accepted);

      assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_WRITE);
      assertThat(pair.client().write(Bytes.ascii("y"))).isEqualTo(1);
      assertThat(Bytes.read(pair.server(), 1)).isEqualTo("y");
    }
  }

  @Test
  void aSleepingSelectorIsWokenWhenThereIsRoomAgain() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    long accepted = Bytes.fillUp(pair.client(), new Tape(1));
    pair.client().register(selector, OP_WRITE);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    Bytes.readTape(pair.server(), new Tape(1), accepted);

    assertThat(select.result()).isEqualTo(1);
  }

  @Test
  void aFullStreamIsStillReadable() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    Bytes.fillUp(pair.client(), new Tape(1));
    pair.client().register(selector, OP_READ | OP_WRITE);
    assertThat(readyOps(selector, 50)).isZero();

    Bytes.write(pair.server(), "x");

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
  }

  @Test
  void whatArrivedBeforeTheRegistrationIsReported() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    Bytes.write(pair.server(), "early");
    Bytes.read(pair.client(), 2);

    pair.client().register(selector, OP_READ);

    assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
    assertThat(Bytes.read(pair.client(), 3)).isEqualTo("rly");
    assertThat(readyOps(selector, 50)).isZero();
  }

  @Test
  void whatArrivedWhileTheChannelWasBlockingIsReportedAfterwards() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();

    for (int i = 0; i < 5; i++) {
      SelectionKey key = pair.client().register(selector, OP_READ);
      assertThat(readyOps(selector, 0)).isZero();
      key.cancel();
      selector.selectNow();
      pair.client().configureBlocking(true);
      Bytes.write(pair.server(), "abc");
      assertThat(Bytes.read(pair.client(), 1)).isEqualTo("a");
      pair.client().configureBlocking(false);

      pair.client().register(selector, OP_READ);
      assertThat(readyOps(selector, LONG_MILLIS)).isEqualTo(OP_READ);
      assertThat(Bytes.read(pair.client(), 2)).isEqualTo("bc");
    }
  }

  @Test
  void bothSelectorsOfAStreamReportIt() throws Exception {
    Selector one = net().selector();
    Selector two = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(one, OP_READ);
    pair.client().register(two, OP_READ | OP_WRITE);

    for (int i = 0; i < 20; i++) {
      Bytes.write(pair.server(), "x");
      assertThat(readyOps(one, LONG_MILLIS)).isEqualTo(OP_READ);
      assertThat(awaitReadable(two)).isEqualTo(OP_READ | OP_WRITE);
      Bytes.read(pair.client(), 1);
      assertThat(readyOps(one, 0)).isZero();
      assertThat(readyOps(two, 0)).isEqualTo(OP_WRITE);
    }
  }

  @Test
  void onlyTheStreamsWithDataAreReportedAndAllOfThem() throws Exception {
    Selector selector = net().selector();
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Pair pair = net().freshPair();
      pairs.add(i < 30 ? net().settle(pair) : pair);
      pair.configureBlocking(false).client().register(selector, OP_READ, i);
    }

    for (int round = 1; round < 8; round++) {
      Set<Object> expected = new HashSet<>();
      for (int i = round; i < pairs.size(); i += round) {
        Bytes.write(pairs.get(i).server(), "x");
        expected.add(i);
      }
      Set<Object> reported = new HashSet<>();
      while (reported.size() < expected.size()) {
        int n =
            selector.select(
                key -> {
                  assertThat(reported.add(key.attachment())).as("drained before").isTrue();
                  readOne(key);
                },
                LONG_MILLIS);
        assertThat(n).isPositive();
      }
      assertThat(reported).isEqualTo(expected);
      assertThat(selector.selectNow()).isZero();
    }
  }

  private static void readOne(SelectionKey key) {
    try {
      assertThat(((SocketChannel) key.channel()).read(ByteBuffer.allocate(2))).isEqualTo(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int awaitReadable(Selector selector) throws IOException {
    int ready = 0;
    for (int i = 0; i < 10_000 && (ready & OP_READ) == 0; i++) {
      ready = readyOps(selector, LONG_MILLIS);
    }
    return ready;
  }

  /** Selects, and returns the ready set of the only key that may be ready; 0 means a timeout. */
  private static int readyOps(Selector selector, long timeoutMillis) throws IOException {
    selector.selectedKeys().clear();
    int n = timeoutMillis == 0 ? selector.selectNow() : selector.select(timeoutMillis);
    assertThat(selector.selectedKeys()).hasSize(n).hasSizeLessThanOrEqualTo(1);
    return n == 0 ? 0 : selector.selectedKeys().iterator().next().readyOps();
  }
}
