package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.ThreadKind;

/** An interrupt does nothing to the socket of a platform thread, and closes a virtual thread's. */
public abstract class InterruptContract extends SocketContract {

  /** Nothing is opened yet. */
  protected InterruptContract() {}

  @ParameterizedTest
  @ValueSource(ints = {0, 60_000})
  void aReadOfAPlatformThreadGoesOn(int timeout) throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
      ends.client().setSoTimeout(timeout);
      Background<String> read = Background.call(() -> receive(ends.client(), 2)).awaitBlocked();

      read.thread().interrupt();
      Thread.sleep(A_WHILE);

      assertThat(read.isDone()).isFalse();
      assertThat(ends.client().isClosed()).isFalse();
      send(ends.server(), "a");
      Thread.sleep(A_WHILE);
      read.thread().interrupt();
      send(ends.server(), "b");
      assertThat(read.result()).isEqualTo("ab");
      assertThat(read.endedInterrupted()).isTrue();
      talk(ends);
    }
  }

  @Test
  void anInterruptedPlatformThreadMayConnectAcceptReadAndWrite() throws Exception {
    ServerSocket listener = listen();
    Background<@Nullable Void> all =
        Background.run(() -> {
          Thread.currentThread().interrupt();
          Ends ends = pair(listener);
          for (int i = 0; i < 50; i++) {
            talk(ends);
          }
          ends.client().setSoTimeout(10_000);
          talk(ends);
          ends.client().shutdownOutput();
          assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
        });

    all.result();
    assertThat(all.endedInterrupted()).isTrue();
  }

  @Test
  void aTimeoutOfAnInterruptedPlatformThreadIsOne() throws Exception {
    Ends ends = settledPair();
    ends.client().setSoTimeout(100);
    Background<Integer> read =
        Background.call(() -> {
          Thread.currentThread().interrupt();
          return ends.client().getInputStream().read();
        });

    assertThat(read.failure())
        .isExactlyInstanceOf(SocketTimeoutException.class)
        .hasMessage("Read timed out");
    assertThat(read.endedInterrupted()).isTrue();
    ends.client().setSoTimeout(0);
    talk(ends);
  }

  @Test
  void aWriteOfAPlatformThreadGoesOn() throws Exception {
    Ends ends = settledPair();
    OutputStream out = ends.client().getOutputStream();
    int size = 20_000_000;
    Background<@Nullable Void> write =
        Background.run(() -> out.write(new byte[size])).awaitBlocked();

    write.thread().interrupt();
    Thread.sleep(A_WHILE);
    assertThat(write.isDone()).isFalse();

    assertThat(ends.server().getInputStream().readNBytes(size)).hasSize(size);
    write.result();
    assertThat(write.endedInterrupted()).isTrue();
  }

  /** The status is the program's: a watchdog may look at it while its thread is inside. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theStatusOfAWaitingPlatformThreadCanBeSeen(boolean reading) throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
      InputStream in = ends.client().getInputStream();
      OutputStream out = ends.client().getOutputStream();
      int size = 20_000_000;
      Background<@Nullable Void> waiting =
          Background.run(() -> {
            Thread.currentThread().interrupt();
            if (reading) {
              assertThat(in.read()).isEqualTo('x');
            } else {
              out.write(new byte[size]);
            }
          });
      Patience.await().until(() -> waiting.thread().isInterrupted());
      for (int i = 0; i < 20; i++) {
        Thread.sleep(10);
        assertThat(waiting.thread().isInterrupted()).isTrue();
      }
      assertThat(waiting.isDone()).isFalse();

      if (reading) {
        send(ends.server(), "x");
      } else {
        assertThat(ends.server().getInputStream().readNBytes(size)).hasSize(size);
      }
      waiting.result();
      assertThat(waiting.endedInterrupted()).isTrue();
      talk(ends);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 60_000})
  void anAcceptOfAPlatformThreadGoesOn(int timeout) throws Exception {
    ServerSocket listener = listen();
    listener.setSoTimeout(timeout);
    Background<Socket> accepting = Background.call(listener::accept).awaitBlocked();

    accepting.thread().interrupt();
    Thread.sleep(A_WHILE);
    assertThat(accepting.isDone()).isFalse();

    Socket client = connect(listener);
    talk(new Ends(client, closing(accepting.result())));
    assertThat(accepting.endedInterrupted()).isTrue();
  }

  @Test
  void aConnectOfAPlatformThreadGoesOn() throws Exception {
    FullListener listener = closing(new FullListener(carrier()));
    Socket socket = open();
    Background<@Nullable Void> connecting =
        Background.run(() -> socket.connect(listener.address(), 14_000)).awaitBlocked();

    connecting.thread().interrupt();
    Thread.sleep(A_WHILE);
    assertThat(connecting.isDone()).isFalse();
    listener.makeRoom();

    connecting.result();
    assertThat(connecting.endedInterrupted()).isTrue();
    assertThat(socket.isConnected()).isTrue();
  }

  // -- virtual threads -------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {0, 60_000})
  void aReadOfAVirtualThreadIsClosed(int timeout) throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
      ends.client().setSoTimeout(timeout);

      assertClosedByInterrupt(
          Background.run(ThreadKind.VIRTUAL, () -> ends.client().getInputStream().read()),
          ends.client());

      assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void aWriteOfAVirtualThreadIsClosed() throws Exception {
    Ends ends = settledPair();
    OutputStream out = ends.client().getOutputStream();

    assertClosedByInterrupt(
        Background.run(ThreadKind.VIRTUAL, () -> out.write(new byte[20_000_000])), ends.client());
  }

  @Test
  void aConnectOfAVirtualThreadIsClosed() throws Exception {
    FullListener listener = closing(new FullListener(carrier()));
    Socket socket = open();

    assertClosedByInterrupt(
        Background.run(ThreadKind.VIRTUAL, () -> socket.connect(listener.address(), 60_000)),
        socket);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 60_000})
  void anAcceptOfAVirtualThreadIsClosed(int timeout) throws Exception {
    ServerSocket listener = listen();
    listener.setSoTimeout(timeout);
    Background<@Nullable Void> accepting =
        Background.run(ThreadKind.VIRTUAL, listener::accept).awaitBlocked();

    accepting.thread().interrupt();

    assertThat(accepting.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Closed by interrupt");
    assertThat(accepting.endedInterrupted()).isTrue();
    assertThat(listener.isClosed()).isTrue();
  }

  @Test
  void anInterruptedVirtualThreadReadsWhatIsThere() throws Exception {
    Ends ends = settledPair();
    send(ends.server(), "x");
    while (ends.client().getInputStream().available() == 0) {
      Thread.onSpinWait();
    }
    Background<Integer> read =
        Background.call(
            ThreadKind.VIRTUAL,
            () -> {
              Thread.currentThread().interrupt();
              return ends.client().getInputStream().read();
            });

    assertThat(read.result()).isEqualTo('x');
    assertThat(read.endedInterrupted()).isTrue();
    talk(ends);
  }

  private static void assertClosedByInterrupt(Background<@Nullable Void> blocked, Socket socket)
      throws Exception {
    blocked.awaitBlocked();

    blocked.thread().interrupt();

    assertThat(blocked.failure())
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Closed by interrupt");
    assertThat(blocked.endedInterrupted()).isTrue();
    assertThat(socket.isClosed()).isTrue();
  }
}
