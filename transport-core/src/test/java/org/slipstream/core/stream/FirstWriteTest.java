package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;

/** The setting for tests that want the ring from the first byte on. */
class FirstWriteTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /** Longer than any test may take: what ends the wait is never its deadline. */
  private static final long FOR_EVER = Duration.ofHours(1).toNanos();

  private static FutureTask<Integer> writing(Bench b, String text, Thread.Builder builder) {
    FutureTask<Integer> write =
        new FutureTask<>(
            () -> b.stream.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), true));
    Thread writer = builder.start(write);
    await()
        .atMost(DEADLINE)
        .until(() -> writer.getState() == Thread.State.TIMED_WAITING || write.isDone());
    return write;
  }

  private static FutureTask<Integer> writing(Bench b, String text) {
    return writing(b, text, Thread.ofPlatform().daemon());
  }

  @Test
  void aClientWaitsForItsLink() throws Exception {
    try (Bench b = Bench.eager(true, FOR_EVER)) {
      FutureTask<Integer> write = writing(b, "first");
      b.attached();
      assertThat(write.get()).isEqualTo(5);
      assertThat(b.fromRing()).isEqualTo("first");
      assertThat(b.stream.status().plainBytesOut()).isZero();
    }
  }

  @Test
  void aServerWaitsForMark() throws Exception {
    try (Bench b = Bench.eager(false, FOR_EVER).attached()) {
      FutureTask<Integer> write = writing(b, "first", Thread.ofVirtual());
      b.peerSwitchesAt(0);
      assertThat(write.get()).isEqualTo(5);
      assertThat(b.fromRing()).isEqualTo("first");
      assertThat(b.stream.status().plainBytesOut()).isZero();
    }
  }

  @Test
  void noWriteWaitsForALinkThatWillNotCome() throws Exception {
    try (Bench b = Bench.eager(true, FOR_EVER)) {
      b.stream.stayPlain(Reason.REFUSED);
      assertThat(b.write("first", true)).isEqualTo(5);
      assertThat(b.fromWire(5)).isEqualTo("first");
    }
  }

  @Test
  void theWaitIsBoundedAndOnlyTheFirstWriteWaits() throws Exception {
    try (Bench b = Bench.eager(true, 1)) {
      assertThat(b.write("first", true)).isEqualTo(5);
      assertThat(b.write("then", true)).isEqualTo(4);
      assertThat(b.fromWire(9)).isEqualTo("firstthen");
    }
  }

  @Test
  void closeEndsTheWait() throws Exception {
    try (Bench b = Bench.eager(true, FOR_EVER)) {
      FutureTask<Integer> write = writing(b, "first");
      b.stream.close(true);
      assertThatThrownBy(write::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(ClosedChannelException.class);
    }
  }
}
