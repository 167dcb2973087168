package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.ThreadKind;
import org.slipstream.testkit.shape.EveryEndContract;
import org.slipstream.testkit.shape.EveryResetContract;

/** The end of one direction, of both, and the end by a reset. */
public abstract class EndContract extends SocketContract
    implements EveryEndContract, EveryResetContract {

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected EndContract() {}

  @Override
  public final Random random() {
    return seeds.random();
  }

  @Test
  void afterTheEndThereIsTheEnd() throws Exception {
    Ends ends = settledPair();
    send(ends.server(), "last");
    ends.server().close();
    InputStream in = ends.client().getInputStream();

    assertThat(receive(ends.client(), 4)).isEqualTo("last");
    for (int i = 0; i < 3; i++) {
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.read(new byte[10])).isEqualTo(-1);
    }
    assertThat(in.available()).isZero();
    ends.client().setSoTimeout(1000);
    assertThat(in.read()).isEqualTo(-1);
    ends.client().close();
    assertThat(in.read()).as("after the end, even of a closed socket").isEqualTo(-1);
  }

  @Test
  void oneDirectionMayEndBeforeTheOther() throws Exception {
    Ends ends = settledPair();
    OutputStream out = ends.client().getOutputStream();

    ends.client().shutdownOutput();

    assertThat(ends.client().isOutputShutdown()).isTrue();
    assertThat(ends.client().isInputShutdown()).isFalse();
    assertThat(ends.client().isClosed()).isFalse();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().getOutputStream())
        .withMessage("Socket output is shutdown");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().shutdownOutput())
        .withMessage("Socket output is already shutdown");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> out.write(1))
        .withMessage("Broken pipe");
    assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
    exchange(ends.server(), ends.client(), "the other still goes");
    ends.server().shutdownOutput();
    assertThat(ends.client().getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void aSocketSaysThatItsInputWasShutDown() throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();

    ends.client().shutdownInput();

    assertThat(ends.client().isInputShutdown()).isTrue();
    assertThat(in.read()).isEqualTo(-1);
    assertThat(in.available()).isZero();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().getInputStream())
        .withMessage("Socket input is shutdown");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().shutdownInput())
        .withMessage("Socket input is already shutdown");
  }

  @ParameterizedTest
  @EnumSource
  void shuttingDownTheOutputEndsAWaitingWrite(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    OutputStream out = ends.client().getOutputStream();
    Background<@Nullable Void> write =
        Background.run(
                kind,
                () -> {
                  for (; ; ) {
                    out.write(new byte[256 * 1024]);
                  }
                })
            .awaitBlocked();

    ends.client().shutdownOutput();
    // The stock JDK wakes the writer when the peer makes room; a virtual thread wakes at once.
    Background<Long> drain =
        Background.call(
            () -> ends.server().getInputStream().transferTo(OutputStream.nullOutputStream()));

    assertThat(write.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Broken pipe");
    assertThat(drain.result()).isPositive();
  }

  @Test
  void aResetIsSticky() throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();

    reset(ends.server());

    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(SocketException.class)
          .isThrownBy(in::read)
          .withMessage("Connection reset");
    }
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> ends.client().getOutputStream().write(1))
        .withMessage("Broken pipe");
    assertThat(in.available()).isZero();
    assertThat(ends.client().isClosed()).isFalse();
  }

  @Test
  void aWaitingWriterSeesTheReset() throws Exception {
    Ends ends = settledPair();
    Background<@Nullable Void> write = blockedWriter(ends.client());

    reset(ends.server());

    assertThat(write.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessageMatching("Connection reset( by peer)?|Broken pipe");
  }

  /** SO_LINGER 0 means a reset, also if a thread of ours waits at that moment. */
  @ParameterizedTest
  @EnumSource
  void aCloseWithoutLingeringResetsUnderABlockedReader(ThreadKind kind) throws Exception {
    for (int i = 0; i < 10; i++) {
      Ends ends = i % 2 == 0 ? freshPair() : settledPair();
      Background<Integer> blocked =
          Background.call(kind, () -> ends.client().getInputStream().read()).awaitBlocked();
      Background<Integer> peer =
          Background.call(() -> ends.server().getInputStream().read()).awaitBlocked();

      reset(ends.client());

      assertThat(peer.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
      assertThat(blocked.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  /** The peer reads what has arrived, and never an end. */
  @ParameterizedTest
  @EnumSource
  void aCloseWithoutLingeringResetsUnderABlockedWriter(ThreadKind kind) throws Exception {
    for (int i = 0; i < 4; i++) {
      Ends ends = i % 2 == 0 ? freshPair() : settledPair();
      OutputStream out = ends.client().getOutputStream();
      Background<@Nullable Void> blocked =
          Background.run(kind, () -> out.write(new byte[32_000_000])).awaitBlocked();

      reset(ends.client());

      assertThatExceptionOfType(SocketException.class)
          .isThrownBy(
              () -> ends.server().getInputStream().transferTo(OutputStream.nullOutputStream()))
          .withMessage("Connection reset");
      assertThat(blocked.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  /** The operations of one letter each: read, write, available; and what each of them reports. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rrwwr; Connection reset, Connection reset, Broken pipe, Broken pipe, Connection reset",
        "wwrr; Connection reset by peer, Broken pipe, -1, -1",
        "awra; 0, Connection reset by peer, -1, 0",
      })
  void afterAResetEveryOperationReportsWhatItDoesInTheJdk(String operations, String reports)
      throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
      reset(ends.server());
      Thread.sleep(A_WHILE); // a question that waits for it would report it

      assertThat(report(ends.client(), operations)).isEqualTo(List.of(reports.split(", ")));
    }
  }

  private static List<String> report(Socket socket, String operations) {
    List<String> reports = new ArrayList<>();
    for (int i = 0; i < operations.length(); i++) {
      try {
        switch (operations.charAt(i)) {
          case 'r' -> reports.add("" + socket.getInputStream().read());
          case 'a' -> reports.add("" + socket.getInputStream().available());
          default -> {
            socket.getOutputStream().write(1);
            reports.add("written");
          }
        }
      } catch (IOException e) {
        reports.add(String.valueOf(e.getMessage()));
      }
    }
    return reports;
  }

  @Test
  void closingWithUnreadBytesEndsTheStreamAndThenResetsIt() throws Exception {
    Ends ends = settledPair();
    send(ends.client(), "unread");
    Patience.await().until(() -> ends.server().getInputStream().available() == 6);

    ends.server().close();

    // The stock JDK shuts the output down before it closes: the FIN goes before the RST.
    assertThat(ends.client().getInputStream().read()).isEqualTo(-1);
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> {
          long end = System.nanoTime() + Background.DEADLINE.toNanos();
          while (System.nanoTime() - end < 0) {
            ends.client().getOutputStream().write(1);
          }
        })
        .withMessageMatching("Broken pipe|Connection reset.*");
  }

  @Test
  void aLingeringCloseDeliversEverything() throws Exception {
    Ends ends = settledPair();
    byte[] data = new byte[3_000_000];
    Background<byte[]> reading =
        Background.call(() -> ends.server().getInputStream().readAllBytes());

    ends.client().setSoLinger(true, 10);
    ends.client().getOutputStream().write(data);
    ends.client().close();

    assertThat(reading.result()).hasSize(data.length);
  }

  @Test
  void closingAStreamClosesTheSocket() throws Exception {
    Ends first = settledPair();
    first.client().getInputStream().close();
    assertClosed(first.client());
    assertThat(first.server().getInputStream().read()).isEqualTo(-1);

    Ends second = settledPair();
    second.client().getOutputStream().close();
    assertClosed(second.client());
    assertThat(second.server().getInputStream().read()).isEqualTo(-1);
  }

  private static void assertClosed(Socket socket) throws IOException {
    assertThat(socket.isClosed()).isTrue();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getInputStream)
        .withMessage("Socket is closed");
  }
}
