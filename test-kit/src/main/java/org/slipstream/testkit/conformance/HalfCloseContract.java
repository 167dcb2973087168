package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/** Each direction of a stream ends on its own. */
public abstract class HalfCloseContract extends NioContract {

  private static final int MIB = 1024 * 1024;

  /** Nothing is opened yet. */
  protected HalfCloseContract() {}

  @Test
  void afterShutdownOutputThePeerReadsTheEndAndMayStillWrite() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "question");

    assertThat(pair.client().shutdownOutput()).isSameAs(pair.client());

    assertThat(Bytes.readToEnd(pair.server())).asString().isEqualTo("question");
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    Bytes.exchange(pair.server(), pair.client(), "answer");
    pair.server().shutdownOutput();
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    assertThat(pair.client().isOpen()).isTrue();
    assertThat(pair.client().isConnected()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {10_000, 200_000, MIB})
  void everythingWrittenBeforeShutdownOutputArrivesBeforeTheEnd(int size) throws Exception {
    Pair pair = net().settledPair();

    Bytes.writeTape(pair.client(), new Tape(1), size);
    pair.client().shutdownOutput();

    Bytes.readTape(pair.server(), new Tape(1), size);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @StaysPlain("a direction that ended is not switched")
  @Test
  void aFreshStreamCanBeHalfClosedBeforeItHasCarriedAnything() throws Exception {
    Pair pair = net().freshPair();

    pair.client().shutdownOutput();

    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    Bytes.writeTape(pair.server(), new Tape(2), 300_000);
    pair.server().close();
    Bytes.readTape(pair.client(), new Tape(2), 300_000);
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
  }

  /** The reader begins when neither a ring nor the kernel takes any more. */
  @Test
  void anEndThatReadsNoMoreMayStillWriteMuch() throws Exception {
    Pair pair = net().settledPair();
    pair.client().shutdownInput();
    long accepted = Bytes.fillUp(pair.client(), new Tape(3));

    Background<?> writer =
        Background.run(() -> Bytes.writeTape(pair.client(), new Tape(4), MIB)).awaitBlocked();

    Bytes.readTape(pair.server(), new Tape(3), accepted);
    Bytes.readTape(pair.server(), new Tape(4), MIB);
    writer.result();
    pair.client().close();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  /** Whatever woke readers on the way is no unread data, which would make the close a reset. */
  @Test
  void anEndThatHasReadAllAndReadsNoMoreLosesNothingByClosing() throws Exception {
    Pair pair = net().settledPair();
    awaitInVain(pair.client());
    Bytes.exchange(pair.server(), pair.client(), "!");
    pair.client().shutdownInput();

    long accepted = Bytes.fillUp(pair.client(), new Tape(3));
    pair.client().close();

    Bytes.readTape(pair.server(), new Tape(3), accepted);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  private void awaitInVain(SocketChannel channel) throws IOException {
    Selector selector = net().selector();
    channel.configureBlocking(false);
    channel.register(selector, OP_READ);
    assertThat(selector.select(A_WHILE.toMillis())).isZero();
    selector.close();
    channel.configureBlocking(true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writingAfterShutdownOutputIsRefused(boolean blocking) throws Exception {
    Pair pair = net().settledPair();
    SocketChannel client = pair.client();
    client.configureBlocking(blocking);

    client.shutdownOutput();

    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> client.write(ByteBuffer.allocate(1)));
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> client.write(new ByteBuffer[] {ByteBuffer.allocate(1)}));
    assertThat(client.isOpen()).isTrue();
    Bytes.exchange(pair.server(), client, "still listening");
  }

  @Test
  void shuttingDownTwiceIsHarmless() throws Exception {
    Pair pair = net().settledPair();

    for (int i = 0; i < 2; i++) {
      assertThat(pair.client().shutdownOutput()).isSameAs(pair.client());
      assertThat(pair.client().shutdownInput()).isSameAs(pair.client());
    }

    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedWriterIsToldThatTheOutputWasShutDown(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Bytes.fillUp(pair.client(), new Tape(3));
    Background<Integer> write =
        Background.call(kind, () -> pair.client().write(ByteBuffer.allocate(100_000)))
            .awaitBlocked();

    pair.client().shutdownOutput();

    assertThat(write.failure()).isInstanceOf(AsynchronousCloseException.class);
    assertThat(pair.client().isOpen()).isTrue();
  }

  @Test
  void afterShutdownInputOnlyTheEndIsRead() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.server(), "unread");

    pair.client().shutdownInput();

    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    assertThat(pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(1)})).isEqualTo(-1);
    pair.client().configureBlocking(false);
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
  }

  @Test
  void shutdownInputDoesNotDisturbTheOtherDirectionNorThePeer() throws Exception {
    Pair pair = net().settledPair();

    pair.client().shutdownInput();

    Bytes.exchange(pair.client(), pair.server(), "I only talk");
    Bytes.write(pair.server(), "into the void");
    Bytes.exchange(pair.client(), pair.server(), "on and on");
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
  }

  @Test
  void aSelectorReportsAStreamWhoseInputWasShutDown() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    assertThat(selector.selectNow()).isZero();

    pair.client().shutdownInput();

    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
  }

  @Test
  void aSelectorReportsThatThePeerHasShutDownItsOutput() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    pair.server().shutdownOutput();

    assertThat(select.result()).isEqualTo(1);
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    Bytes.exchange(pair.client(), pair.server(), "understood");
  }

  @Test
  void theDirectionThatIsLeftCarriesMegabytes() throws Exception {
    Pair pair = net().settledPair();
    pair.client().shutdownOutput();

    Background<@Nullable Void> writer =
        Background.run(() -> {
          assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
          Bytes.writeTape(pair.server(), new Tape(4), 6 * MIB);
          pair.server().close();
        });

    Bytes.readTape(pair.client(), new Tape(4), 6 * MIB);
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
    writer.result();
  }

  @Test
  void aStarvedWriterIsWokenByAReaderThatHasShutDownItsOutput() throws Exception {
    Pair pair = net().settledPair();
    pair.client().shutdownOutput();
    long accepted = Bytes.fillUp(pair.server(), new Tape(5));
    Background<Integer> write =
        Background.call(() -> pair.server().write(ByteBuffer.allocate(1000))).awaitBlocked();

    Bytes.readTape(pair.client(), new Tape(5), accepted);

    assertThat(write.result()).isBetween(1, 1000);
  }

  @Test
  void aStarvedWriterIsToldWhenAHalfClosedReaderGoesAway() throws Exception {
    Pair pair = net().settledPair();
    pair.client().shutdownOutput();
    Bytes.fillUp(pair.server(), new Tape(6));
    Background<Integer> write =
        Background.call(() -> pair.server().write(ByteBuffer.allocate(1000))).awaitBlocked();

    pair.client().close();

    assertThat(write.failure())
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ClosedChannelException.class);
  }

  @Test
  void bothSidesMayShutDownTheirOutputAtTheSameTime() throws Exception {
    for (int i = 0; i < 20; i++) {
      Pair pair = i % 2 == 0 ? net().settledPair() : net().freshPair();
      Background<?> client = Background.call(() -> endAndReadToEnd(pair.client()));
      Background<?> server = Background.call(() -> endAndReadToEnd(pair.server()));

      assertThat(client.result()).isEqualTo("the end");
      assertThat(server.result()).isEqualTo("the end");
    }
  }

  private static String endAndReadToEnd(SocketChannel channel) throws IOException {
    Bytes.write(channel, "the end");
    channel.shutdownOutput();
    return new String(Bytes.readToEnd(channel), US_ASCII);
  }
}
