package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.ThreadKind;

/** Closing while other threads are at it. */
public abstract class CloseContract extends SocketContract {

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected CloseContract() {}

  @ParameterizedTest
  @EnumSource
  void aWaitingReadEndsWithTheSocket(ThreadKind kind) throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
      Background<Integer> read =
          Background.call(kind, () -> ends.client().getInputStream().read()).awaitBlocked();

      ends.client().close();

      assertThat(read.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
      assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWaitingWriteEndsWithTheSocket(ThreadKind kind) throws Exception {
    for (Ends ends : new Ends[] {settledPair(), freshPair()}) {
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

      ends.client().close();

      assertThat(write.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  @Test
  void afterTheCloseNothingGoes() throws Exception {
    Ends ends = settledPair();
    Socket socket = ends.client();
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    int port = socket.getPort();
    int localPort = socket.getLocalPort();

    socket.close();
    socket.close();

    assertThat(socket.isClosed()).isTrue();
    assertThat(socket.isConnected()).isTrue();
    assertThat(socket.isBound()).isTrue();
    assertThat(socket.getPort()).isEqualTo(port);
    assertThat(socket.getLocalPort()).isEqualTo(localPort);
    assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(in::read)
        .withMessage("Socket closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(in::available)
        .withMessage("Socket closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> out.write(1))
        .withMessage("Socket closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getInputStream)
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.setTcpNoDelay(true))
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::shutdownOutput)
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.sendUrgentData(1))
        .withMessageMatching("Socket (is )?closed");
  }

  @Test
  void aReaderAWriterAndACloserMayMeetAtAnyMoment() throws Exception {
    Random random = seeds.random();
    for (int i = 0; i < 60; i++) {
      Ends ends = i % 3 == 0 ? freshPair() : settledPair();
      ThreadKind kind = i % 2 == 0 ? ThreadKind.PLATFORM : ThreadKind.VIRTUAL;
      Background<@Nullable Void> writer = Background.run(kind, () -> pump(ends.client()));
      Background<@Nullable Void> reader = Background.run(kind, () -> drain(ends.client()));
      Background<@Nullable Void> peerWriter = Background.run(kind, () -> pump(ends.server()));
      Background<@Nullable Void> peerReader = Background.run(kind, () -> drain(ends.server()));

      Thread.sleep(random.nextInt(8));
      boolean hard = random.nextBoolean();
      if (hard) {
        reset(ends.client());
      } else {
        ends.client().close();
      }

      // The streams are got after the close in rare cases: then the socket itself complains.
      assertThat(writer.failure()).hasMessageMatching("Socket (is )?closed");
      assertThat(reader.failure()).hasMessageMatching("Socket (is )?closed");
      assertThat(peerWriter.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessageMatching("Connection reset.*|Broken pipe");
      assertThat(peerReader.failure())
          .isInstanceOf(IOException.class)
          .hasMessageMatching("Connection reset.*|the end");
    }
  }

  private static void pump(Socket to) throws IOException {
    byte[] data = new byte[10_000];
    for (; ; ) {
      to.getOutputStream().write(data);
    }
  }

  private static void drain(Socket from) throws IOException {
    byte[] data = new byte[10_000];
    for (; ; ) {
      if (from.getInputStream().read(data) < 0) {
        throw new IOException("the end");
      }
    }
  }

  @Test
  void manyMayCloseAtOnce() throws Exception {
    for (int i = 0; i < 20; i++) {
      Ends ends = settledPair();
      Background<@Nullable Void> one = Background.run(() -> ends.client().close());
      Background<@Nullable Void> two = Background.run(() -> ends.client().getInputStream().close());
      ends.client().close();
      one.result();
      // The second one may find the socket closed already.
      while (!two.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(ends.server().getInputStream().read()).isEqualTo(-1);
    }
  }
}
