package org.slipstream.testkit.conformance;

import static java.net.StandardSocketOptions.SO_LINGER;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;
import org.slipstream.testkit.shape.EveryEndContract;

/** The end of a stream and its violent death, and that a reader can tell them apart. */
public abstract class EndOfStreamContract extends NioContract implements EveryEndContract {

  /** Nothing is opened yet. */
  protected EndOfStreamContract() {}

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aClosedStreamIsReadToItsEndWhichLastsForEver(boolean blocking) throws Exception {
    Pair pair = net().settledPair().configureBlocking(blocking);
    Bytes.write(pair.client(), "the rest");

    pair.client().close();

    assertThat(Bytes.readToEnd(pair.server())).asString().isEqualTo("the rest");
    for (int i = 0; i < 3; i++) {
      assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(pair.server().read(new ByteBuffer[] {ByteBuffer.allocate(1)})).isEqualTo(-1);
    }
    assertThat(pair.server().isOpen()).isTrue();
    assertThat(pair.server().isConnected()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, 200_000, 1024 * 1024})
  void everythingWrittenBeforeTheCloseArrives(int size) throws Exception {
    Pair pair = net().settledPair();

    Bytes.writeTape(pair.client(), new Tape(1), size);
    pair.client().close();

    Bytes.readTape(pair.server(), new Tape(1), size);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @Test
  void everythingWrittenBeforeTheCloseArrivesWhenTheCloseLingers() throws Exception {
    Pair pair = net().settledPair();
    pair.client().setOption(SO_LINGER, 10);

    Bytes.writeTape(pair.client(), new Tape(2), 100_000);
    pair.client().close();

    Bytes.readTape(pair.server(), new Tape(2), 100_000);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedWriterIsToldThatThePeerIsGone(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Bytes.fillUp(pair.server(), new Tape(3));
    Background<Integer> write =
        Background.call(kind, () -> pair.server().write(ByteBuffer.allocate(1))).awaitBlocked();

    pair.client().close();

    assertThat(write.failure())
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ClosedChannelException.class);
    assertThat(pair.server().isOpen()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aResetIsReportedAgainAndAgain(boolean blocking) throws Exception {
    Pair pair = net().settledPair();
    Pair.reset(pair.client());
    Patience.await().until(() -> !canRead(pair.server()));
    pair.server().configureBlocking(blocking);

    for (int i = 0; i < 3; i++) {
      assertReset(() -> pair.server().read(ByteBuffer.allocate(1)));
      assertReset(() -> pair.server().read(new ByteBuffer[] {ByteBuffer.allocate(1)}));
    }
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> pair.server().write(ByteBuffer.allocate(1)));
    assertReset(() -> pair.server().read(ByteBuffer.allocate(1)));
    assertThat(pair.server().isOpen()).isTrue();
    assertThat(pair.server().getRemoteAddress()).isNotNull();
  }

  @Test
  void whatArrivedBeforeAResetIsStillRead() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "abcdef");
    assertThat(Bytes.read(pair.server(), 1)).isEqualTo("a");

    Pair.reset(pair.client());
    Thread.sleep(A_WHILE);

    assertThat(Bytes.read(pair.server(), 5)).isEqualTo("bcdef");
    assertReset(() -> Bytes.readOne(pair.server()));
  }

  /** The bytes, and what precedes them on a link, came while the program looked elsewhere. */
  @Test
  void closingWithoutHavingReadAtAllResetsAPeerThatWrote() throws Exception {
    Pair pair = net().freshPair();
    Bytes.write(pair.server(), "unread");
    Thread.sleep(A_WHILE.toMillis());

    pair.client().close();

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> pair.server().read(ByteBuffer.allocate(1)));
  }

  @Test
  void closingWithUnreadDataResetsThePeer() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "you will never read this");
    Bytes.exchange(pair.server(), pair.client(), "sync");
    Thread.sleep(A_WHILE);

    pair.server().close();

    assertReset(() -> Bytes.readOne(pair.client()));
  }

  @Test
  void closingWithPartlyReadDataResetsThePeer() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "half read");
    Bytes.read(pair.server(), 4);

    pair.server().close();

    assertReset(() -> Bytes.readOne(pair.client()));
  }

  @Test
  void closingWithEverythingReadIsACleanEnd() throws Exception {
    int rounds = Extent.of(50);
    for (int i = 0; i < rounds; i++) {
      Pair pair = i % 5 == 0 ? net().settledPair() : net().freshPair();
      for (int j = 0; j <= i; j++) {
        Bytes.exchange(pair.client(), pair.server(), "ping");
        Bytes.exchange(pair.server(), pair.client(), "pong");
      }

      pair.server().close();

      assertThat(Bytes.readOne(pair.client())).as("round %d", i).isEqualTo(-1);
      pair.client().close();
    }
  }

  @Test
  void writingWithoutBlockingToAPeerThatHasClosedFailsInTheEnd() throws Exception {
    Pair pair = net().settledPair();
    pair.server().close();
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    pair.client().configureBlocking(false);

    Patience.await()
        .untilAsserted(() ->
            assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> pair.client().write(Bytes.ascii("anybody?")))
                .isNotInstanceOf(ClosedChannelException.class));
    assertThat(pair.client().isOpen()).isTrue();
  }

  @Test
  void aRegisteredChannelEndsItsStreamWhenItIsClosedAndNotWhenTheSelectorNotices()
      throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledPair();
    pair.client().configureBlocking(false);
    pair.client().register(selector, OP_READ);
    Bytes.write(pair.client(), "last");

    pair.client().close();

    assertThat(Bytes.readToEnd(pair.server())).asString().isEqualTo("last");
    selector.selectNow();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @Test
  void aRegisteredChannelThatDoesNotLingerIsResetWhenTheSelectorNotices() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);

    Pair.reset(pair.client());

    Thread.sleep(A_WHILE);
    assertThat(pair.server().read(ByteBuffer.allocate(1))).isZero();
    selector.selectNow();
    Patience.await().until(() -> !canRead(pair.server()));
    assertReset(() -> Bytes.readOne(pair.server()));
  }

  @Test
  void aPeerThatClosesAfterItsAnswerIsHeardOut() throws Exception {
    Pair pair = net().settledPair();
    Background<byte[]> response =
        Background.call(() -> {
          Bytes.write(pair.client(), "GET /");
          return Bytes.readToEnd(pair.client());
        });

    Bytes.read(pair.server(), 5);
    Bytes.writeTape(pair.server(), new Tape(7), 500_000);
    pair.server().close();

    byte[] body = response.result();
    assertThat(body).hasSize(500_000);
    new Tape(7).verify(ByteBuffer.wrap(body));
  }

  @Test
  void bothEndsMayCloseAtTheSameTime() throws Exception {
    for (int i = 0; i < 40; i++) {
      Pair pair = i % 4 == 0 ? net().settledPair() : net().freshPair();
      Background<?> client = Background.run(pair.client()::close);
      Background<?> server = Background.run(pair.server()::close);
      client.result();
      server.result();
      assertThat(pair.client().isOpen()).isFalse();
      assertThat(pair.server().isOpen()).isFalse();
    }
  }

  private static boolean canRead(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    try {
      return channel.read(ByteBuffer.allocate(1)) == 0;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException reset) {
      return false;
    }
  }

  private static void assertReset(ThrowingCallable read) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(read)
        .withMessage("Connection reset")
        .isNotInstanceOf(ClosedChannelException.class);
  }
}
