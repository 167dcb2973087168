package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/** Closing a channel on which other threads are blocked: they are all told, at once. */
public abstract class AsynchronousCloseContract extends NioContract {

  /** Nothing is opened yet. */
  protected AsynchronousCloseContract() {}

  @ParameterizedTest
  @EnumSource
  void aBlockedReadEndsWhenTheChannelIsClosed(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();

    assertEndedByClose(kind, pair.client(), () -> pair.client().read(ByteBuffer.allocate(1)));

    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedWriteEndsWhenTheChannelIsClosed(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    long accepted = Bytes.fillUp(pair.client(), new Tape(1));

    assertEndedByClose(kind, pair.client(), () -> pair.client().write(ByteBuffer.allocate(1000)));

    Bytes.readTape(pair.server(), new Tape(1), accepted);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  /** A fresh stream is offered after its first bytes, and gets its link while the writer sleeps. */
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void whatWasWrittenBeforeTheEndOfABlockedWriteIsCounted(boolean settled, boolean close)
      throws Exception {
    Pair pair = settled ? net().settledPair() : net().freshPair();
    ByteBuffer large = ByteBuffer.allocateDirect(64 << 20);
    Background<Integer> write =
        Background.call(
                () -> {
                  Bytes.write(pair.client(), "1");
                  Bytes.write(pair.client(), "2");
                  return pair.client().write(large);
                })
            .awaitBlocked();
    Thread.sleep(A_WHILE);

    if (close) {
      pair.client().close();
    } else {
      pair.client().shutdownOutput();
    }

    assertThat(write.result()).isPositive().isLessThan(64 << 20).isEqualTo(large.position());
    assertThat(Bytes.readToEnd(pair.server())).hasSize(2 + large.position());
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedAcceptEndsWhenTheChannelIsClosed(ThreadKind kind) throws Exception {
    ServerSocketChannel listener = net().listen();

    assertEndedByClose(kind, listener, listener::accept);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedConnectEndsWhenTheChannelIsClosed(ThreadKind kind) throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();

    assertEndedByClose(kind, client, () -> client.connect(listener.address()));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedFinishConnectEndsWhenTheChannelIsClosed(ThreadKind kind) throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();
    client.configureBlocking(false);
    assertThat(client.connect(listener.address())).isFalse();
    client.configureBlocking(true);

    assertEndedByClose(kind, client, client::finishConnect);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedReadOfTheSocketsStreamEndsWhenTheSocketIsClosed(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Background<Integer> read =
        Background.call(kind, () -> pair.client().socket().getInputStream().read()).awaitBlocked();

    pair.client().socket().close();

    assertThat(read.failure()).isInstanceOf(AsynchronousCloseException.class);
    assertThat(pair.client().isOpen()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aTimedAcceptOfTheSocketEndsWhenTheSocketIsClosed(ThreadKind kind) throws Exception {
    ServerSocketChannel listener = net().listen();
    listener.socket().setSoTimeout(60_000);
    Background<?> accept = Background.call(kind, () -> listener.socket().accept()).awaitBlocked();

    listener.socket().close();

    assertThat(accept.failure()).isInstanceOf(AsynchronousCloseException.class);
    assertThat(listener.isOpen()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aReaderAndAWriterAreBothTold(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Bytes.fillUp(pair.client(), new Tape(2));
    Background<Integer> write =
        Background.call(kind, () -> pair.client().write(ByteBuffer.allocate(1000))).awaitBlocked();
    Background<Integer> read =
        Background.call(kind, () -> pair.client().read(ByteBuffer.allocate(1))).awaitBlocked();

    pair.client().close();

    assertThat(read.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(write.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
  }

  @ParameterizedTest
  @EnumSource
  void readersThatQueueForTheirTurnAreTold(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Background<Integer> first =
        Background.call(kind, () -> pair.client().read(ByteBuffer.allocate(1))).awaitBlocked();
    Background<Integer> second =
        Background.call(kind, () -> pair.client().read(ByteBuffer.allocate(1))).awaitBlocked();

    pair.client().close();

    assertThat(first.failure()).isInstanceOf(ClosedChannelException.class);
    assertThat(second.failure()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void closingDoesNotWaitForABlockedReader() throws Exception {
    Pair pair = net().settledPair();
    Background<Integer> read = Background.call(() -> Bytes.readOne(pair.client())).awaitBlocked();

    Background.run(pair.client()::close).result();

    assertThat(pair.client().isOpen()).isFalse();
    read.failure();
  }

  @Test
  void severalThreadsMayCloseAtTheSameTime() throws Exception {
    for (int i = 0; i < 30; i++) {
      Pair pair = i % 5 == 0 ? net().settledPair() : net().freshPair();
      Background<?> one = Background.run(pair.client()::close);
      Background<?> two = Background.run(pair.client()::close);
      one.result();
      two.result();
      assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReaderAWriterAndACloserMayRace(ThreadKind kind) throws Exception {
    for (int i = 0; i < 60; i++) {
      Pair pair = i % 3 == 0 ? net().settledPair() : net().freshPair();
      Background<@Nullable Void> echo = Background.run(kind, () -> echoUntilTheEnd(pair.server()));
      Background<@Nullable Void> writer =
          Background.run(kind, () -> writeUntilClosed(pair.client()));
      Background<@Nullable Void> reader =
          Background.run(kind, () -> readUntilClosed(pair.client()));

      LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(3_000_000));
      pair.client().close();

      assertThat(reader.failure()).isInstanceOf(ClosedChannelException.class);
      assertThat(writer.failure()).isInstanceOf(ClosedChannelException.class);
      echo.result();
      pair.server().close();
    }
  }

  private static void writeUntilClosed(SocketChannel channel) throws IOException {
    Tape tape = new Tape(9);
    while (true) {
      Bytes.write(channel, tape.next(ThreadLocalRandom.current().nextInt(1, 5000)));
    }
  }

  private static void readUntilClosed(SocketChannel channel) throws IOException {
    Tape tape = new Tape(9);
    ByteBuffer chunk = ByteBuffer.allocate(3000);
    while (true) {
      int n = channel.read(chunk.clear());
      assertThat(n).as("bytes read before the close").isPositive();
      tape.verify(chunk.flip());
    }
  }

  private static void echoUntilTheEnd(SocketChannel channel) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(4000);
    try {
      while (channel.read(chunk.clear()) >= 0) {
        Bytes.write(channel, chunk.flip());
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException resetByPeer) {
      // The client closes with unread data: that is a reset.
    }
  }

  private static void assertEndedByClose(ThreadKind kind, Channel channel, Callable<?> call)
      throws Exception {
    Background<?> blocked = Background.call(kind, call).awaitBlocked();

    channel.close();

    assertThat(blocked.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(blocked.endedInterrupted()).isFalse();
    assertThat(channel.isOpen()).isFalse();
  }
}
