package org.slipstream.testkit.asynchronous;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;

/** Operations that are given up, by time or by cancellation, take their direction with them. */
public abstract class TimeoutContract extends AsynchronousContract {

  /** Nothing is opened yet. */
  protected TimeoutContract() {}

  @Test
  void afterATimedOutReadThereIsNoOther() throws Exception {
    Ends ends = settledPair();
    Recorder<Integer> recorder = new Recorder<>();
    long start = System.nanoTime();

    ends.client().read(ByteBuffer.allocate(1), 50, MILLISECONDS, "att", recorder);

    assertThat(recorder.failure()).isExactlyInstanceOf(InterruptedByTimeoutException.class);
    assertThat(recorder.await().attachment()).isEqualTo("att");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(49));
    assertThatThrownBy(() -> ends.client().read(ByteBuffer.allocate(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Reading not allowed");
    assertThat(value(ends.client().write(Bytes.ascii("still")))).isEqualTo(5);
  }

  @Test
  void afterATimedOutWriteThereIsNoOther() throws Exception {
    Ends ends = settledPair();
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    ends.client()
        .write(
            ByteBuffer.allocateDirect(1 << 20),
            100,
            MILLISECONDS,
            null,
            new CompletionHandler<Integer, Object>() {
              @Override
              public void completed(Integer n, @Nullable Object attachment) {
                ends.client()
                    .write(ByteBuffer.allocateDirect(1 << 20), 100, MILLISECONDS, null, this);
              }

              @Override
              public void failed(Throwable failure, @Nullable Object attachment) {
                failed.complete(failure);
              }
            });

    assertThat(value(failed)).isExactlyInstanceOf(InterruptedByTimeoutException.class);
    assertThatThrownBy(() -> ends.client().write(ByteBuffer.allocate(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Writing not allowed");
  }

  @Test
  void anOperationInTimeIsNotTimedOut() throws Exception {
    Ends ends = settledPair();
    for (int i = 0; i < 50; i++) {
      Recorder<Integer> recorder = new Recorder<>();
      ends.client().read(ByteBuffer.allocate(1), 30, SECONDS, null, recorder);
      assertThat(value(ends.server().write(Bytes.ascii("x")))).isOne();
      assertThat(recorder.value()).isOne();
    }
  }

  @Test
  void aFutureThatIsWaitedForInVainStaysOutstanding() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));

    assertThatThrownBy(() -> read.get(50, MILLISECONDS)).isInstanceOf(TimeoutException.class);

    assertThat(value(ends.server().write(Bytes.ascii("x")))).isOne();
    assertThat(value(read)).isOne();
  }

  @Test
  void afterACancelledReadThereIsNoOther() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));

    assertThat(read.cancel(false)).isTrue();

    assertThat(read.isCancelled()).isTrue();
    assertThat(read.isDone()).isTrue();
    assertThatThrownBy(read::get).isInstanceOf(CancellationException.class);
    assertThat(read.cancel(false)).isFalse();
    assertThat(ends.client().isOpen()).isTrue();
    assertThatThrownBy(() -> ends.client().read(ByteBuffer.allocate(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(value(ends.client().write(Bytes.ascii("still")))).isEqualTo(5);
  }

  @Test
  void aReadThatIsCancelledForcefullyClosesTheChannel() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));

    assertThat(read.cancel(true)).isTrue();

    assertThat(ends.client().isOpen()).isFalse();
    assertThat(value(ends.server().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
  }

  @Test
  void aWriteThatIsCancelledForcefullyEndsTheReadToo() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));
    Future<Integer> write = fillUp(ends.client());

    assertThat(write.cancel(true)).isTrue();

    assertThat(failure(read)).isExactlyInstanceOf(AsynchronousCloseException.class);
  }
}
