package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.ThreadKind;

/** Timeouts of the socket adaptors: they end one wait, and nothing else. */
public abstract class SocketTimeoutContract extends NioContract {

  private static final int MILLIS = 120;

  /** Nothing is opened yet. */
  protected SocketTimeoutContract() {}

  @Test
  void theTimeoutOfASocketIsRememberedAndChecked() throws Exception {
    Socket socket = net().open().socket();

    assertThat(socket.getSoTimeout()).isZero();
    socket.setSoTimeout(1234);
    assertThat(socket.getSoTimeout()).isEqualTo(1234);
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSoTimeout(-1));
  }

  @ParameterizedTest
  @EnumSource
  void aReadThatTimesOutLeavesTheStreamUsable(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    pair.client().socket().setSoTimeout(MILLIS);
    InputStream in = pair.client().socket().getInputStream();

    Background<@Nullable Void> reader =
        Background.run(
            kind,
            () -> {
              for (int i = 0; i < 2; i++) {
                assertTimesOut(in);
                Bytes.write(pair.server(), "ab");
                assertThat(in.read()).isEqualTo('a');
                assertThat(in.read()).isEqualTo('b');
                Bytes.exchange(pair.client(), pair.server(), "fine");
              }
            });

    reader.result();
    assertThat(pair.client().isOpen()).isTrue();
    assertThat(pair.client().isBlocking()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aTimedReadReturnsAsSoonAsThereIsData(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    pair.client().socket().setSoTimeout(60_000);
    InputStream in = pair.client().socket().getInputStream();
    Background<Integer> read = Background.call(kind, in::read).awaitBlocked();

    Bytes.write(pair.server(), "x");

    assertThat(read.result()).isEqualTo('x');
  }

  @Test
  void theTimeoutIsOneDeadlineWhateverHappenedOnTheStreamBefore() throws Exception {
    Pair pair = net().settledPair();
    pair.client().socket().setSoTimeout(MILLIS);
    InputStream in = pair.client().socket().getInputStream();

    for (int i = 0; i < 3; i++) {
      Background<String> read = Background.call(() -> Bytes.read(pair.client(), 4));
      Bytes.exchange(pair.client(), pair.server(), "there");
      Bytes.write(pair.server(), "back");
      assertThat(read.result()).isEqualTo("back");
      assertTimesOut(in);
    }
  }

  @Test
  void aTimedReadSeesTheEndOfTheStreamAndItsReset() throws Exception {
    Pair ended = net().settledPair();
    ended.client().socket().setSoTimeout(60_000);
    Background<Integer> end =
        Background.call(() -> ended.client().socket().getInputStream().read()).awaitBlocked();
    ended.server().close();
    assertThat(end.result()).isEqualTo(-1);

    Pair killed = net().settledPair();
    killed.client().socket().setSoTimeout(60_000);
    Background<Integer> reset =
        Background.call(() -> killed.client().socket().getInputStream().read()).awaitBlocked();
    Pair.reset(killed.server());
    assertThat(reset.failure()).hasMessage("Connection reset");
  }

  @Test
  void theTimeoutDoesNotConcernTheChannelItself() throws Exception {
    Pair pair = net().settledPair();
    pair.client().socket().setSoTimeout(10);
    Background<Integer> read = Background.call(() -> Bytes.readOne(pair.client())).awaitBlocked();

    Bytes.write(pair.server(), "x");

    assertThat(read.result()).isEqualTo('x');
  }

  @ParameterizedTest
  @EnumSource
  void anAcceptThatTimesOutLeavesTheListenerUsable(ThreadKind kind) throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.socket().setSoTimeout(MILLIS);
    assertThat(listener.socket().getSoTimeout()).isEqualTo(MILLIS);

    Background<@Nullable Void> acceptor =
        Background.run(
            kind,
            () ->
                assertThatExceptionOfType(SocketTimeoutException.class)
                    .isThrownBy(() -> listener.socket().accept()));
    acceptor.result();

    SocketChannel client = net().connect(listener);
    Socket server = net().closing(listener.socket().accept());
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalAddress());
    assertThat(listener.isBlocking()).isTrue();
  }

  @Test
  void aConnectThatTimesOutClosesTheSocket() throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();

    assertThatExceptionOfType(SocketTimeoutException.class)
        .isThrownBy(() -> client.socket().connect(listener.address(), MILLIS));

    assertThat(client.isOpen()).isFalse();
    assertThat(client.socket().isClosed()).isTrue();
  }

  @Test
  void aConnectWithATimeoutLeavesABlockingStream() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();

    client.socket().connect(listener.getLocalAddress(), 10_000);

    assertThat(client.isBlocking()).isTrue();
    SocketChannel server = net().closing(listener.accept());
    net().settle(new Pair(client, server));
    Background<Integer> read = Background.call(() -> Bytes.readOne(client)).awaitBlocked();
    Bytes.write(server, "x");
    assertThat(read.result()).isEqualTo('x');
  }

  private static void assertTimesOut(InputStream in) {
    long start = System.nanoTime();
    assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(in::read);
    assertThat((System.nanoTime() - start) / 1_000_000)
        .isBetween(MILLIS - 5L, Patience.DEADLINE.toMillis());
  }
}
