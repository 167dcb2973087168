package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;

/** Blocking, not blocking, and changing one's mind in the middle of a stream. */
public abstract class BlockingModeContract extends NioContract {

  /** Nothing is opened yet. */
  protected BlockingModeContract() {}

  @Test
  void aNonBlockingReadReturnsZeroWhenThereIsNothing() throws Exception {
    Pair pair = net().settledNonBlockingPair();

    assertThat(pair.client().isBlocking()).isFalse();
    assertThat(pair.client().read(ByteBuffer.allocate(8))).isZero();
    assertThat(pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(8)})).isZero();
    Bytes.exchange(pair.server(), pair.client(), "something");
    assertThat(pair.client().read(ByteBuffer.allocate(8))).isZero();
  }

  @Test
  void aBlockingReadReturnsWhatThereIsAndDoesNotWaitForMore() throws Exception {
    Pair pair = net().settledPair();
    Background<Integer> read =
        Background.call(() -> pair.client().read(ByteBuffer.allocate(1000))).awaitBlocked();

    Bytes.write(pair.server(), "12345");

    assertThat(read.result()).isBetween(1, 5);
  }

  @Test
  void aNonBlockingWriteStopsWhenTheConnectionIsFullAndGoesOnWhenItIsDrained() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    Tape sent = new Tape(1);
    Tape received = new Tape(1);

    for (int round = 0; round < 3; round++) {
      long accepted = Bytes.fillUp(pair.client(), sent);
      assertThat(accepted).isPositive();
      assertThat(pair.client().write(ByteBuffer.allocate(100_000))).isZero();

      // The last piece of the tape was taken in part, or not at all: begin a new one each round.
      Bytes.readTape(pair.server(), received, accepted);
      assertThat(pair.server().read(ByteBuffer.allocate(1))).isZero();
      sent = new Tape(round + 2);
      received = new Tape(round + 2);
    }
  }

  @Test
  void aBlockingWriteWaitsUntilThePeerMakesRoom() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(2);
    long accepted = Bytes.fillUp(pair.client(), sent);
    Background<Integer> write =
        Background.call(() -> pair.client().write(ByteBuffer.allocate(10_000))).awaitBlocked();

    Bytes.readTape(pair.server(), new Tape(2), accepted);

    int written = write.result();
    assertThat(written).isBetween(1, 10_000);
    assertThat(Bytes.read(pair.server(), written)).isEqualTo("\0".repeat(written));
  }

  @Test
  void theModeMayChangeInTheMiddleOfAStream() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(3);
    Tape received = new Tape(3);

    for (int round = 0; round < 60; round++) {
      pair.client().configureBlocking(round % 2 == 0);
      pair.server().configureBlocking(round % 3 == 0);
      Bytes.write(pair.client(), sent.next(777));
      Bytes.readTape(pair.server(), received, round % 5 == 0 ? 700 : 777);
      if (round % 5 == 0) {
        pair.server().configureBlocking(round % 2 == 0);
        Bytes.readTape(pair.server(), received, 77);
      }
      Bytes.write(pair.server(), sent.next(99));
      pair.client().configureBlocking(round % 3 != 0);
      Bytes.readTape(pair.client(), received, 99);
    }
  }

  @Test
  void switchingToAModeThatIsAlreadySetDoesNothing() throws Exception {
    SocketChannel channel = net().settledPair().client();

    assertThat(channel.configureBlocking(true)).isSameAs(channel);
    assertThat(channel.isBlocking()).isTrue();
    assertThat(channel.configureBlocking(false)).isSameAs(channel);
    assertThat(channel.configureBlocking(false).isBlocking()).isFalse();
    assertThat(channel.blockingLock()).isSameAs(channel.blockingLock());
  }

  @Test
  void aRegisteredChannelCannotBecomeBlocking() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    SelectionKey key = channel.register(selector, SelectionKey.OP_READ);

    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> channel.configureBlocking(true));
    assertThat(channel.isBlocking()).isFalse();
    assertThat(channel.configureBlocking(false)).isSameAs(channel);

    key.cancel();
    assertThat(channel.configureBlocking(true).isBlocking()).isTrue();
  }

  @Test
  void aStreamIsBlockingAgainAfterItsKeyIsCancelledEvenBeforeTheSelectorNotices() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();

    for (int round = 0; round < 10; round++) {
      SelectionKey key = pair.client().register(selector, SelectionKey.OP_READ);
      Bytes.write(pair.server(), "a");
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
      selector.selectedKeys().clear();
      key.cancel();
      pair.client().configureBlocking(true);
      assertThat(Bytes.read(pair.client(), 1)).isEqualTo("a");
      Background<String> read = Background.call(() -> Bytes.read(pair.client(), 1));
      Bytes.write(pair.server(), "b");
      assertThat(read.result()).isEqualTo("b");
      selector.selectNow();
      pair.client().configureBlocking(false);
    }
  }

  @Test
  void changingTheModeWaitsForAReadInProgress() throws Exception {
    Pair pair = net().settledPair();
    Background<String> read = Background.call(() -> Bytes.read(pair.client(), 1)).awaitBlocked();

    Background<?> change = Background.call(() -> pair.client().configureBlocking(false));
    Thread.sleep(A_WHILE);
    assertThat(change.isDone()).isFalse();
    assertThat(read.isDone()).isFalse();

    Bytes.write(pair.server(), "x");
    assertThat(read.result()).isEqualTo("x");
    change.result();
    assertThat(pair.client().isBlocking()).isFalse();
  }

  @Test
  void severalReadersShareAStreamWithoutLossOrDuplication() throws Exception {
    Pair pair = net().settledPair();
    int readers = 3;
    long total = 300_000;
    AtomicLong sum = new AtomicLong();
    AtomicLong count = new AtomicLong();
    List<Background<@Nullable Void>> workers = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      workers.add(
          Background.run(() -> {
            ByteBuffer chunk = ByteBuffer.allocate(1000);
            while (pair.client().read(chunk.clear()) >= 0) {
              chunk.flip();
              count.addAndGet(chunk.remaining());
              while (chunk.hasRemaining()) {
                sum.addAndGet(chunk.get());
              }
            }
          }));
    }

    long expected = 0;
    Tape tape = new Tape(4);
    for (long sent = 0; sent < total; sent += 500) {
      ByteBuffer piece = tape.next(500);
      for (int i = 0; i < 500; i++) {
        expected += piece.get(i);
      }
      Bytes.write(pair.server(), piece);
    }
    pair.server().shutdownOutput();

    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
    assertThat(count).hasValue(total);
    assertThat(sum).hasValue(expected);
  }

  @Test
  void theBytesOfOneWriteAreNotTornByAnotherThreadsWrite() throws Exception {
    Pair pair = net().settledPair();
    int records = 2000;
    int length = 16;
    Background<@Nullable Void> a = Background.run(() -> writeRecords(pair, 'a', records, length));
    Background<@Nullable Void> b = Background.run(() -> writeRecords(pair, 'b', records, length));

    int seenA = 0;
    for (int i = 0; i < 2 * records; i++) {
      String record = Bytes.read(pair.server(), length);
      assertThat(record).isIn("a".repeat(length), "b".repeat(length));
      seenA += record.charAt(0) == 'a' ? 1 : 0;
    }

    assertThat(seenA).isEqualTo(records);
    a.result();
    b.result();
  }

  private static void writeRecords(Pair pair, char letter, int records, int length)
      throws Exception {
    for (int i = 0; i < records; i++) {
      ByteBuffer record = Bytes.ascii(String.valueOf(letter).repeat(length));
      assertThat(pair.client().write(record)).isEqualTo(length);
    }
  }
}
