package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.Tape;

/** One end is the carrier's, the other belongs to a stock JDK that has never heard of us. */
@StaysPlain("one end is a stock socket")
public abstract class MixedPeerContract extends NioContract {

  private static final int MIB = 1024 * 1024;

  /** Nothing is opened yet. */
  protected MixedPeerContract() {}

  /** Which end is the carrier's. */
  enum Ours {
    CLIENT,
    SERVER
  }

  /** The two ends of a mixed connection. */
  private record Mixed(SocketChannel ours, SocketChannel theirs) {}

  private Mixed connect(Ours which) throws IOException {
    if (which == Ours.CLIENT) {
      Pair pair = net().pair(carrier().provider(), carrier().stock());
      return new Mixed(pair.client(), pair.server());
    }
    Pair pair = net().pair(carrier().stock(), carrier().provider());
    return new Mixed(pair.server(), pair.client());
  }

  @ParameterizedTest
  @EnumSource
  void whicheverEndSpeaksFirstIsHeard(Ours which) throws Exception {
    Mixed oursFirst = connect(which);
    Bytes.exchange(oursFirst.ours(), oursFirst.theirs(), "ours speaks");
    Bytes.exchange(oursFirst.theirs(), oursFirst.ours(), "theirs answers");

    Mixed theirsFirst = connect(which);
    Bytes.exchange(theirsFirst.theirs(), theirsFirst.ours(), "theirs speaks");
    Bytes.exchange(theirsFirst.ours(), theirsFirst.theirs(), "ours answers");
  }

  @ParameterizedTest
  @EnumSource
  void theStockEndNeverSeesAForeignByte(Ours which) throws Exception {
    Mixed mixed = connect(which);
    Tape sent = new Tape(1);
    Tape received = new Tape(1);

    for (int i = 0; i < 2000; i++) {
      Bytes.write(mixed.ours(), sent.next(40));
      Bytes.readTape(mixed.theirs(), received, 40);
      Bytes.write(mixed.theirs(), sent.next(60));
      Bytes.readTape(mixed.ours(), received, 60);
    }
    mixed.theirs().configureBlocking(false);
    Thread.sleep(A_WHILE);

    assertThat(mixed.theirs().read(ByteBuffer.allocate(1))).isZero();
    mixed.ours().close();
    mixed.theirs().configureBlocking(true);
    assertThat(Bytes.readOne(mixed.theirs())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void megabytesGoBothWaysAtOnce(Ours which) throws Exception {
    Mixed mixed = connect(which);
    List<Background<@Nullable Void>> workers =
        List.of(
            Background.run(() -> Bytes.writeTape(mixed.ours(), new Tape(1), 8 * MIB)),
            Background.run(() -> Bytes.writeTape(mixed.theirs(), new Tape(2), 8 * MIB)),
            Background.run(() -> Bytes.readTape(mixed.theirs(), new Tape(1), 8 * MIB)),
            Background.run(() -> Bytes.readTape(mixed.ours(), new Tape(2), 8 * MIB)));

    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
  }

  @ParameterizedTest
  @EnumSource
  void bothSidesMayWriteBeforeEitherReads(Ours which) throws Exception {
    Mixed mixed = connect(which);

    Bytes.writeTape(mixed.ours(), new Tape(1), MIB);
    Bytes.writeTape(mixed.theirs(), new Tape(2), MIB);

    Bytes.readTape(mixed.theirs(), new Tape(1), MIB);
    Bytes.readTape(mixed.ours(), new Tape(2), MIB);
  }

  @ParameterizedTest
  @EnumSource
  void readinessIsReportedOfAStreamToAStockPeer(Ours which) throws Exception {
    Selector selector = net().selector();
    Mixed mixed = connect(which);
    mixed.ours().configureBlocking(false);
    mixed.ours().register(selector, OP_READ);
    for (int i = 0; i < 20; i++) {
      assertThat(selector.selectNow()).isZero();
      Bytes.write(mixed.theirs(), "ab");
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
      assertThat(Bytes.read(mixed.ours(), 2)).isEqualTo("ab");
      selector.selectedKeys().clear();
    }

    long accepted = Bytes.fillUp(mixed.ours(), new Tape(3));
    mixed.ours().register(selector, OP_WRITE);
    assertThat(selector.selectNow()).isZero();
    Bytes.readTape(mixed.theirs(), new Tape(3), accepted);
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);

    mixed.ours().register(selector, OP_READ);
    selector.selectedKeys().clear();
    mixed.theirs().close();
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
    assertThat(Bytes.readOne(mixed.ours())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void eitherEndMayHalfClose(Ours which) throws Exception {
    Mixed mixed = connect(which);
    mixed.ours().shutdownOutput();
    assertThat(Bytes.readOne(mixed.theirs())).isEqualTo(-1);
    Bytes.exchange(mixed.theirs(), mixed.ours(), "still here");
    mixed.theirs().close();
    assertThat(Bytes.readOne(mixed.ours())).isEqualTo(-1);

    Mixed other = connect(which);
    other.theirs().shutdownOutput();
    assertThat(Bytes.readOne(other.ours())).isEqualTo(-1);
    Bytes.exchange(other.ours(), other.theirs(), "still here too");
  }

  @ParameterizedTest
  @EnumSource
  void eitherEndMayResetTheOther(Ours which) throws Exception {
    Mixed mixed = connect(which);
    Pair.reset(mixed.theirs());
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Bytes.readOne(mixed.ours()))
        .withMessage("Connection reset");

    Mixed other = connect(which);
    Pair.reset(other.ours());
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Bytes.readOne(other.theirs()))
        .withMessage("Connection reset");

    Mixed unread = connect(which);
    Bytes.write(unread.theirs(), "ignored");
    Bytes.exchange(unread.ours(), unread.theirs(), "sync");
    Thread.sleep(A_WHILE);
    unread.ours().close();
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> Bytes.readOne(unread.theirs()));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedReadCanBeInterruptedAndClosed(Ours which) throws Exception {
    Mixed mixed = connect(which);
    Background<Integer> read = Background.call(() -> Bytes.readOne(mixed.ours())).awaitBlocked();

    read.thread().interrupt();

    assertThat(read.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
    assertThat(mixed.ours().isOpen()).isFalse();
    assertThat(Bytes.readOne(mixed.theirs())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void urgentDataReachesAndLeavesAStockPeer(Ours which) throws Exception {
    Mixed mixed = connect(which);
    mixed.theirs().socket().setOOBInline(true);
    Bytes.write(mixed.ours(), "a");
    mixed.ours().socket().sendUrgentData('!');
    Bytes.write(mixed.ours(), "b");
    assertThat(Bytes.read(mixed.theirs(), 3)).isEqualTo("a!b");

    Bytes.write(mixed.theirs(), "c");
    mixed.theirs().socket().sendUrgentData('?');
    Bytes.write(mixed.theirs(), "d");
    assertThat(Bytes.read(mixed.ours(), 2)).isEqualTo("cd");
  }
}
