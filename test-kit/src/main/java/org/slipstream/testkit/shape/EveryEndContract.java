package org.slipstream.testkit.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.ThreadKind;

/** How a stream, or one direction of it, ends, and that a thread which waits is told. */
public interface EveryEndContract extends Shape {

  @ParameterizedTest
  @EnumSource
  default void aWaitingReaderReadsTheEndWhenThePeerCloses(ThreadKind kind) throws Exception {
    Connection pair = settledConnection();
    Background<Integer> read =
        Background.call(kind, () -> Ends.readOne(pair.server())).awaitBlocked();

    pair.client().close();

    assertThat(read.result()).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  default void aWaitingReaderReadsTheEndOfOneDirection(ThreadKind kind) throws Exception {
    Connection pair = settledConnection();
    Background<Integer> read =
        Background.call(kind, () -> Ends.readOne(pair.server())).awaitBlocked();

    pair.client().shutdownOutput();

    assertThat(read.result()).isEqualTo(-1);
    Ends.exchange(pair.server(), pair.client(), "the other still goes");
    pair.server().shutdownOutput();
    assertThat(Ends.readOne(pair.client())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  default void aWaitingReaderReadsTheEndWhenItsInputIsShutDown(ThreadKind kind) throws Exception {
    Connection pair = settledConnection();
    Background<Integer> read =
        Background.call(kind, () -> Ends.readOne(pair.client())).awaitBlocked();

    pair.client().shutdownInput();

    assertThat(read.result()).isEqualTo(-1);
    assertThat(Ends.readOne(pair.client())).isEqualTo(-1);
    assertThat(pair.client().isOpen()).isTrue();
    Ends.exchange(pair.client(), pair.server(), "the other still goes");
  }

  @ParameterizedTest
  @EnumSource
  default void aWaitingReaderIsToldOfAReset(ThreadKind kind) throws Exception {
    Connection pair = everyEndResets() ? settledConnection() : freshConnection();
    Background<Integer> read =
        Background.call(kind, () -> Ends.readOne(pair.client())).awaitBlocked();

    pair.server().reset();

    assertReset(read.failure());
    assertThat(pair.client().isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  default void aWaitingReadDoesNotHinderWrites(ThreadKind kind) throws Exception {
    Connection pair = settledConnection();
    Background<Integer> read =
        Background.call(kind, () -> Ends.readOne(pair.client())).awaitBlocked();

    for (int i = 0; i < 100; i++) {
      Ends.exchange(pair.client(), pair.server(), "ping");
    }

    assertThat(read.isDone()).isFalse();
    pair.server().write(Bytes.ascii("!"));
    assertThat(read.result()).isEqualTo('!');
  }

  @Test
  default void whatWasWrittenBeforeACloseArrives() throws Exception {
    for (int i = 0; i < 30; i++) {
      Connection pair = i % 2 == 0 ? settledConnection() : freshConnection();
      int length = 1 + i * 1500;
      Background<?> writing =
          Background.run(() -> {
            pair.client().write(ByteBuffer.allocate(length));
            pair.client().close();
          });

      assertThat(Ends.count(pair.server(), Integer.MAX_VALUE)).isEqualTo(length);
      writing.result();
      pair.server().close();
    }
  }

  @Test
  default void writingToAPeerThatHasClosedFailsInTheEnd() throws Exception {
    Connection pair = settledConnection();
    pair.server().close();
    assertThat(Ends.readOne(pair.client())).isEqualTo(-1);

    Patience.await()
        .untilAsserted(
            () -> assertBroken(Ends.failure(() -> pair.client().write(Bytes.ascii("anybody?")))));
    assertThat(pair.client().isOpen()).isTrue();
  }
}
