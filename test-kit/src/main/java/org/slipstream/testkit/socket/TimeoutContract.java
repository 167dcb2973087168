package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.ThreadKind;

/** SO_TIMEOUT ends one wait, and nothing else. */
public abstract class TimeoutContract extends SocketContract {

  private static final int MILLIS = 120;

  /** Nothing is opened yet. */
  protected TimeoutContract() {}

  @Test
  void theTimeoutIsRememberedAndChecked() throws Exception {
    Socket socket = open();

    assertThat(socket.getSoTimeout()).isZero();
    socket.setSoTimeout(1234);
    assertThat(socket.getSoTimeout()).isEqualTo(1234);
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSoTimeout(-1));
  }

  @ParameterizedTest
  @EnumSource
  void aReadThatTimesOutLeavesTheStreamUsable(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    ends.client().setSoTimeout(MILLIS);

    Background<@Nullable Void> reader =
        Background.run(
            kind,
            () -> {
              for (int i = 0; i < 3; i++) {
                assertTimesOut(ends.client().getInputStream());
                send(ends.server(), "ab");
                assertThat(receive(ends.client(), 2)).isEqualTo("ab");
                exchange(ends.client(), ends.server(), "fine");
              }
            });

    reader.result();
    assertThat(ends.client().isClosed()).isFalse();
  }

  @Test
  void aReadThatTimesOutOnAFreshStreamLeavesItUsable() throws Exception {
    Ends ends = freshPair();
    ends.client().setSoTimeout(20);
    ends.server().setSoTimeout(20);
    for (int i = 0; i < 20; i++) {
      assertThatExceptionOfType(SocketTimeoutException.class)
          .isThrownBy(() -> ends.client().getInputStream().read());
      ends.client().setSoTimeout(0);
      ends.server().setSoTimeout(0);
      talk(ends);
      ends.client().setSoTimeout(20);
      ends.server().setSoTimeout(20);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTimedReadReturnsAsSoonAsThereIsData(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    ends.client().setSoTimeout(60_000);
    Background<Integer> read =
        Background.call(kind, () -> ends.client().getInputStream().read()).awaitBlocked();

    send(ends.server(), "x");

    assertThat(read.result()).isEqualTo('x');
  }

  @Test
  void theTimeoutOfABlockedReadIsTheOneItBeganWith() throws Exception {
    Ends ends = settledPair();
    Background<Integer> read =
        Background.call(() -> ends.client().getInputStream().read()).awaitBlocked();

    ends.client().setSoTimeout(10);
    Thread.sleep(A_WHILE);
    assertThat(read.isDone()).isFalse();

    send(ends.server(), "x");
    assertThat(read.result()).isEqualTo('x');
    assertThatExceptionOfType(SocketTimeoutException.class)
        .isThrownBy(() -> ends.client().getInputStream().read());
  }

  @Test
  void aTimedReadSeesTheEndTheResetAndTheClose() throws Exception {
    Ends ended = settledPair();
    ended.client().setSoTimeout(60_000);
    Background<Integer> end =
        Background.call(() -> ended.client().getInputStream().read()).awaitBlocked();
    ended.server().close();
    assertThat(end.result()).isEqualTo(-1);

    Ends killed = settledPair();
    killed.client().setSoTimeout(60_000);
    Background<Integer> reset =
        Background.call(() -> killed.client().getInputStream().read()).awaitBlocked();
    reset(killed.server());
    assertThat(reset.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Connection reset");

    Ends closed = settledPair();
    closed.client().setSoTimeout(60_000);
    Background<Integer> close =
        Background.call(() -> closed.client().getInputStream().read()).awaitBlocked();
    closed.client().close();
    assertThat(close.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Socket closed");
  }

  @Test
  void aTimedReadWaitsNoLongerForTheReaderBeforeIt() throws Exception {
    Ends ends = settledPair();
    Background<Integer> first =
        Background.call(() -> ends.client().getInputStream().read()).awaitBlocked();
    ends.client().setSoTimeout(MILLIS);

    assertTimesOut(ends.client().getInputStream());

    send(ends.server(), "x");
    assertThat(first.result()).isEqualTo('x');
  }

  private static void assertTimesOut(InputStream in) {
    long start = System.nanoTime();
    assertThatExceptionOfType(SocketTimeoutException.class)
        .isThrownBy(in::read)
        .withMessage("Read timed out");
    assertThat((System.nanoTime() - start) / 1_000_000).isGreaterThanOrEqualTo(MILLIS - 5);
  }
}
