package org.slipstream.testkit.asynchronous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.testkit.Patience.await;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Tape;

/** Bytes arrive once, in order and unchanged, by futures and by handlers. */
public abstract class TransferContract extends AsynchronousContract {

  /** Nothing is opened yet. */
  protected TransferContract() {}

  @Test
  void aReadWaitsForBytes() throws Exception {
    Ends ends = settledPair();
    ByteBuffer target = ByteBuffer.allocate(10);
    Future<Integer> read = ends.server().read(target);
    assertThat(read.isDone()).isFalse();

    assertThat(value(ends.client().write(Bytes.ascii("hello")))).isEqualTo(5);

    assertThat(value(read)).isEqualTo(5);
    assertThat(text(target)).isEqualTo("hello");
    assertThat(read.cancel(true)).isFalse();
    assertThat(ends.server().isOpen()).isTrue();
  }

  @Test
  void onlyOneReadAndOneWriteIsOutstanding() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));
    assertThatThrownBy(() -> ends.client().read(ByteBuffer.allocate(1)))
        .isInstanceOf(ReadPendingException.class);
    Future<Integer> write = fillUp(ends.client());
    assertThatThrownBy(() -> ends.client().write(ByteBuffer.allocate(1)))
        .isInstanceOf(WritePendingException.class);

    assertThat(value(ends.server().write(Bytes.ascii("x")))).isOne();
    assertThat(value(read)).isOne();
    ByteBuffer sink = ByteBuffer.allocate(1 << 20);
    AtomicReference<Future<Integer>> drained =
        new AtomicReference<>(ends.server().read(sink.clear()));
    // A read may take the last bytes before the write is told of it: the next one never ends.
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> {
          if (drained.get().isDone()) {
            assertThat(value(drained.get())).isPositive();
            drained.set(ends.server().read(sink.clear()));
          }
          return write.isDone();
        });
    assertThat(value(write)).isPositive();
  }

  @Test
  void emptyBuffersMoveNothingAndReadOnlyOnesAreRefused() throws Exception {
    Ends ends = settledPair();
    assertThat(value(ends.client().read(ByteBuffer.allocate(0)))).isZero();
    assertThat(value(ends.client().write(ByteBuffer.allocate(0)))).isZero();
    Recorder<Long> none = new Recorder<>();
    ends.client().write(new ByteBuffer[0], 0, 0, 0, TimeUnit.SECONDS, null, none);
    assertThat(none.value()).isZero();
    assertThatThrownBy(() -> ends.client().read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() ->
            ends.client()
                .read(new ByteBuffer[1], 0, 2, 0, TimeUnit.SECONDS, null, new Recorder<>()))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void severalBuffersAreGatheredAndScattered() throws Exception {
    Ends ends = settledPair();
    ByteBuffer[] parts = {
      Bytes.ascii("skip"), Bytes.ascii("one"), Bytes.ascii("two"), Bytes.ascii("three")
    };
    Recorder<Long> written = new Recorder<>();
    ends.client().write(parts, 1, 3, 0, TimeUnit.SECONDS, "att", written);
    assertThat(written.value()).isEqualTo(11);
    assertThat(parts[0].remaining()).isEqualTo(4);

    ByteBuffer[] targets = {ByteBuffer.allocate(3), ByteBuffer.allocateDirect(8)};
    long total = 0;
    while (total < 11) {
      Recorder<Long> read = new Recorder<>();
      ends.server().read(targets, 0, 2, 10, TimeUnit.SECONDS, null, read);
      total += read.value();
    }
    assertThat(text(targets[0]) + text(targets[1])).isEqualTo("onetwothree");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 5_000, 300_000})
  void muchGoesBothWaysAtOnce(int pieces) throws Exception {
    Ends ends = settledPair();
    long bytes = 4_000_000L * Math.min(pieces, 1000) / 1000;
    Background<?> there = Background.run(() -> send(ends.client(), 1, bytes, pieces));
    Background<?> back = Background.run(() -> send(ends.server(), 2, bytes, pieces));
    Background<?> thereRead = Background.run(() -> receive(ends.server(), 1, bytes, pieces));

    receive(ends.client(), 2, bytes, pieces);

    there.result();
    back.result();
    thereRead.result();
  }

  private static void send(AsynchronousSocketChannel to, long seed, long bytes, int piece)
      throws Exception {
    Tape tape = new Tape(seed);
    for (long left = bytes; left > 0; ) {
      ByteBuffer next = tape.next((int) Math.min(piece, left));
      left -= next.remaining();
      writeAll(to, next);
    }
  }

  private static void receive(AsynchronousSocketChannel from, long seed, long bytes, int piece)
      throws Exception {
    Tape tape = new Tape(seed);
    ByteBuffer target = ByteBuffer.allocateDirect(piece + 7);
    for (long left = bytes; left > 0; ) {
      target.clear().limit((int) Math.min(target.capacity(), left));
      left -= value(from.read(target));
      tape.verify(target.flip());
    }
  }

  @Test
  void handlersKeepAConversationGoing() throws Exception {
    Ends ends = settledPair();
    int rounds = 5_000;
    CompletableFuture<Integer> asked = new CompletableFuture<>();
    CompletableFuture<Integer> answered = new CompletableFuture<>();
    new Talker(ends.server(), false, rounds, answered).go();
    new Talker(ends.client(), true, rounds, asked).go();

    assertThat(value(asked)).isEqualTo(rounds);
    assertThat(value(answered)).isEqualTo(rounds);
  }

  /** Reads and writes messages of eight bytes in turn, from handlers only. */
  private static final class Talker implements CompletionHandler<Integer, Object> {
    private final AsynchronousSocketChannel channel;
    private final int rounds;
    private final CompletableFuture<Integer> done;
    private final ByteBuffer message = ByteBuffer.allocateDirect(8);
    private boolean writing;
    private int turns;

    Talker(
        AsynchronousSocketChannel channel,
        boolean first,
        int rounds,
        CompletableFuture<Integer> done) {
      this.channel = channel;
      this.rounds = rounds;
      this.done = done;
      this.writing = first;
    }

    void go() {
      if (writing) {
        message.clear().putLong(turns).flip();
        channel.write(message, null, this);
      } else {
        channel.read(message.clear(), null, this);
      }
    }

    @Override
    public void completed(Integer n, @Nullable Object attachment) {
      if (n < 0) {
        done.completeExceptionally(new AssertionError("The end, after " + turns));
      } else if (message.hasRemaining()) {
        if (writing) {
          channel.write(message, null, this);
        } else {
          channel.read(message, null, this);
        }
      } else {
        next();
      }
    }

    private void next() {
      if (!writing && message.getLong(0) / 1_000_000 != 0) {
        done.completeExceptionally(new AssertionError("Changed: " + message.getLong(0)));
      }
      writing = !writing;
      // Each turn is one message sent and one received.
      if (++turns == 2 * rounds) {
        done.complete(rounds);
      } else {
        go();
      }
    }

    @Override
    public void failed(Throwable failure, @Nullable Object attachment) {
      done.completeExceptionally(failure);
    }
  }

  private static String text(ByteBuffer filled) {
    return StandardCharsets.US_ASCII.decode(filled.duplicate().flip()).toString();
  }
}
