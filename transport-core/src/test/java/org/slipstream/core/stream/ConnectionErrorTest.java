package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.transport.ControlLayout;

/**
 * Linux gives a socket's error to one system call. Here it is a call of a helper, a selector or a
 * doorbell, and the program's next operation reports it nevertheless, as the JDK does.
 */
@Timeout(240)
class ConnectionErrorTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final CountDownLatch mayReturn = new CountDownLatch(1);

  @AfterEach
  void letAllReturn() {
    mayReturn.countDown();
  }

  /** The peer resets the connection; the stream's kernel knows it, and no call has taken it. */
  private static void reset(Bench b) throws IOException {
    b.wire.setOption(StandardSocketOptions.SO_LINGER, 0);
    b.wire.close();
    try (Selector selector = b.stream.tcp().provider().openSelector()) {
      b.stream.tcp().register(selector, SelectionKey.OP_READ);
      assertThat(selector.select(PATIENCE.toMillis())).isEqualTo(1);
    }
  }

  private static void assertReset(ThrowingCallable read) {
    assertThatThrownBy(read)
        .isExactlyInstanceOf(SocketException.class)
        .hasMessage("Connection reset");
  }

  private static void assertFails(ThrowingCallable write, String message) {
    assertThatThrownBy(write).isExactlyInstanceOf(IOException.class).hasMessage(message);
  }

  @Test
  void anErrorThatTheSwitchMeetsIsTheNextReads() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.wireAndWait("last".getBytes(StandardCharsets.US_ASCII));
      reset(b);
      assertThat(b.stream.nudge()).as("there is nothing to be done any more").isTrue();
      assertThat(b.read(10, false)).isEqualTo("last");
      assertReset(() -> b.read(10, false));
      assertReset(() -> b.read(10, false));
      assertFails(() -> b.write("x", false), "Broken pipe");
      assertReset(() -> b.read(10, false));
    }
  }

  @Test
  void anErrorThatTheSwitchMeetsIsTheNextWrites() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.wireAndWait("last".getBytes(StandardCharsets.US_ASCII));
      reset(b);
      assertThat(b.stream.nudge()).isTrue();
      assertFails(() -> b.write("x", false), "Connection reset by peer");
      assertFails(() -> b.write("x", false), "Broken pipe");
      assertThat(b.read(10, false)).isEqualTo("last");
      assertThat(b.read(10, false)).as("the write has reported it").isEqualTo("end");
    }
  }

  @Test
  void anErrorThatTheSwitchMeetsIsTheNextTransfers(@TempDir Path directory) throws Exception {
    Path path = Files.writeString(directory.resolve("file"), "of some length");
    try (Bench b = Bench.client().nonBlocking().attached();
        FileChannel file = FileChannel.open(path)) {
      reset(b);
      assertThat(b.stream.nudge()).isTrue();
      assertFails(() -> send(b, file), "Connection reset by peer");
      assertFails(() -> send(b, file), "Broken pipe");
      assertThat(b.read(10, false)).isEqualTo("end");
    }
  }

  private static void send(Bench b, FileChannel file) throws IOException {
    FileTransfer.send(b.stream, file, 0, file.size(), false, FileChannel::transferTo);
  }

  @Test
  void anErrorThatADoorbellMeetsIsTheNextOperations() throws Exception {
    for (boolean read : new boolean[] {true, false}) {
      try (Bench b = Bench.client().nonBlocking().attached()) {
        assertThat(b.write("one", false)).isEqualTo(3);
        b.fromWire(16);
        assertThat(b.fromRing()).isEqualTo("one");
        assertThat(b.peer.consumer().arm()).isTrue();
        reset(b);
        assertThat(b.write("two", false)).isEqualTo(3);
        if (read) {
          assertReset(() -> b.read(10, false));
        } else {
          assertFails(() -> b.write("three", false), "Connection reset by peer");
          assertThat(b.read(10, false)).isEqualTo("end");
        }
        assertFails(() -> b.write("three", false), "Broken pipe");
      }
    }
  }

  @Test
  void anErrorThatASelectorMeetsIsTheNextOperations() throws Exception {
    for (boolean read : new boolean[] {true, false}) {
      try (Bench b = Bench.server().nonBlocking().attached()) {
        b.peerSwitchesAt(0);
        b.toRing("ring");
        assertThat(b.readFully(4)).isEqualTo("ring");
        reset(b);
        assertThat(b.stream.readiness().absorb()).isTrue();
        assertThat(b.stream.readiness().readable()).isTrue();
        if (read) {
          assertReset(() -> b.read(10, false));
          assertReset(() -> b.read(10, false));
        } else {
          assertFails(() -> b.write("x", false), "Connection reset by peer");
        }
        assertFails(() -> b.write("x", false), "Broken pipe");
      }
    }
  }

  /** The ring has bytes, and the fall-back to TCP behind them: all of it comes before the reset. */
  @Test
  void whatCameBeforeTheResetIsRead() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("ring");
      b.wireAndWait(b.back(4));
      b.wireAndWait(" and raw".getBytes(StandardCharsets.US_ASCII));
      reset(b);
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.readFully(12)).isEqualTo("ring and raw");
      assertReset(() -> b.read(10, false));
    }
  }

  /** The peer says in its window that it has reset the stream, and had overflowed before that. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCameByTcpBeforeTheWindowSaysResetIsRead(boolean blocking) throws Exception {
    try (Bench b = Bench.client().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("ring");
      assertThat(b.read(4, true)).isEqualTo("ring");
      b.wireAndWait(ControlBytes.DOORBELL);
      b.wireAndWait(b.back(4));
      b.wireAndWait(" and raw".getBytes(StandardCharsets.US_ASCII));
      b.peer.producer().publishFlags(ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED);
      b.wire.setOption(StandardSocketOptions.SO_LINGER, 0);
      b.wire.close();
      if (!blocking) {
        b.nonBlocking();
      }
      assertThat(blocking ? b.read(8, true) : b.readFully(8)).isEqualTo(" and raw");
      assertReset(() -> b.read(10, true));
    }
  }

  /** The end came by TCP, and the reset behind it: only the kernel knows the order. */
  @Test
  void aResetBehindAnEndThatCameByTcpIsABrokenPipe() throws Exception {
    try (Bench b = Bench.client().attached()) {
      assertThat(b.write("one", true)).isEqualTo(3);
      b.fromWire(16);
      b.wire.shutdownOutput();
      await().atMost(PATIENCE).until(() -> b.read(1, true).equals("end"));
      b.peer.producer().publishFlags(ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED);
      b.wire.setOption(StandardSocketOptions.SO_LINGER, 0);
      b.wire.close();
      assertFails(() -> b.write("x", true), "Broken pipe");
      assertThat(b.read(1, true)).isEqualTo("end");
    }
  }

  /**
   * Who writes after the end may learn that the pipe is broken; for a reader the end is the end.
   */
  @Test
  void aBrokenPipeIsNoReset() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.wire.close();
      await()
          .atMost(PATIENCE)
          .until(() -> b.stream.tcp().write(ByteBuffer.allocate(1)) == 1 && isBroken(b));
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.read(10, false)).isEqualTo("end");
      assertFails(() -> b.write("x", false), "Broken pipe");
      assertThat(b.read(10, false)).isEqualTo("end");
    }
  }

  private static boolean isBroken(Bench b) {
    try {
      return b.stream.tcp().write(ByteBuffer.allocate(1)) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** The kernel has given the error to a writer of control bytes, which has not latched it yet. */
  @Test
  void theReaderWaitsForTheWriterThatHasTakenTheError() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    ConnectionError error =
        new ConnectionError(
            new FakeConnection(src -> {
              inside.countDown();
              awaitQuietly(mayReturn);
              throw new IOException("Connection reset by peer");
            }));
    Executor own = task -> Thread.ofPlatform().start(task); // the common pool may have one thread
    CompletableFuture<Integer> writer =
        CompletableFuture.supplyAsync(() -> writeControl(error), own);
    assertThat(inside.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

    assertThat(error.end(false)).as("not known yet").isZero();
    CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, own).execute(mayReturn::countDown);
    assertReset(() -> error.end(true));
    assertThat(writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(-1);
    assertReset(() -> error.end(false));
  }

  private static int writeControl(ConnectionError error) {
    try {
      return error.writeControl(ByteBuffer.allocate(1));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void otherFailuresAreReportedOnceAsTheyAre() throws Exception {
    ConnectionError error = failing(new IOException("Connection timed out"));
    assertThat(error.writeControl(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertFails(() -> error.end(false), "Connection timed out");
    assertThat(error.end(false)).isEqualTo(-1);

    ConnectionError another = failing(new IOException("No route to host"));
    assertThat(another.writeControl(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThat(another.forWriter()).hasMessage("No route to host");
    assertThat(another.forWriter()).hasMessage("Broken pipe");
  }

  /** The C library may speak the user's language. */
  @Test
  void aResetIsOneInEveryLanguage() throws Exception {
    ConnectionError error =
        failing(new IOException("Die Verbindung wurde vom Kommunikationspartner zurückgesetzt"));
    assertThat(error.writeControl(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertReset(() -> error.end(false));
  }

  @Test
  void whatEndsOnlyTheCallIsNotLatched() {
    for (IOException e :
        new IOException[] {
          new AsynchronousCloseException(), new SocketTimeoutException("Read timed out")
        }) {
      ConnectionError error = failing(e);
      assertThatThrownBy(() -> error.writeControl(ByteBuffer.allocate(1))).isSameAs(e);
      assertThat(error.isMet()).isFalse();
    }
  }

  private static ConnectionError failing(IOException e) {
    return new ConnectionError(
        new FakeConnection(src -> {
          throw e;
        }));
  }
}
