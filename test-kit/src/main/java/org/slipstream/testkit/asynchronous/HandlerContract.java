package org.slipstream.testkit.asynchronous;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;

/** On which threads handlers run, and what they may do there. */
public abstract class HandlerContract extends AsynchronousContract {
  private static final int MAX_ON_STACK = 16;

  /** Nothing is opened yet. */
  protected HandlerContract() {}

  @Test
  void aResultThatIsThereAtOnceIsNotToldOnAForeignThread() throws Exception {
    Ends ends = settledPair();
    Recorder<Integer> written = new Recorder<>();
    Recorder<Integer> nothing = new Recorder<>();

    ends.client().write(Bytes.ascii("x"), null, written);
    ends.client().read(ByteBuffer.allocate(0), null, nothing);

    assertThat(written.await().thread()).isNotEqualTo(Thread.currentThread());
    assertThat(nothing.await().thread()).isNotEqualTo(Thread.currentThread());
  }

  @Test
  void handlersRunOnThreadsOfTheGroupOnly() throws Exception {
    Ends ends = settledPair();
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 50; i++) {
      Recorder<Integer> read = new Recorder<>();
      ends.server().read(ByteBuffer.allocate(1), null, read);
      Recorder<Integer> written = new Recorder<>();
      ends.client().write(Bytes.ascii("x"), null, written);
      threads.add(read.await().thread());
      threads.add(written.await().thread());
    }
    assertThat(threads).hasSizeBetween(1, 2);
  }

  @Test
  void aHandlerIsCalledDirectlyByAThreadOfTheGroupButNotWithoutLimit() throws Exception {
    Ends ends = settledPair();
    Nesting nesting = new Nesting(ends.client());

    ends.client().write(Bytes.ascii("x"), null, nesting);

    assertThat(value(nesting.done)).isTrue();
    assertThat(nesting.deepest.get()).isGreaterThan(1).isLessThanOrEqualTo(MAX_ON_STACK + 1);
  }

  /** Each completion starts the next write, which completes at once. */
  private static final class Nesting implements CompletionHandler<Integer, Object> {
    private static final int CALLS = 200;

    final CompletableFuture<Boolean> done = new CompletableFuture<>();
    final AtomicInteger deepest = new AtomicInteger();
    private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
    private final AtomicInteger calls = new AtomicInteger();
    private final AsynchronousSocketChannel channel;

    Nesting(AsynchronousSocketChannel channel) {
      this.channel = channel;
    }

    @Override
    public void completed(Integer n, @Nullable Object attachment) {
      depth.set(depth.get() + 1);
      deepest.accumulateAndGet(depth.get(), Math::max);
      try {
        if (calls.incrementAndGet() == CALLS) {
          done.complete(true);
        } else {
          channel.write(Bytes.ascii("x"), null, this);
        }
      } finally {
        depth.set(depth.get() - 1);
      }
    }

    @Override
    public void failed(Throwable failure, @Nullable Object attachment) {
      done.completeExceptionally(failure);
    }
  }

  @Test
  void aHandlerThatBlocksDoesNotHinderTheOtherThread() throws Exception {
    Ends first = settledPair();
    Ends second = settledPair();
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Boolean> blocked = new CompletableFuture<>();
    first
        .server()
        .read(
            ByteBuffer.allocate(1),
            null,
            new CompletionHandler<Integer, Object>() {
              @Override
              public void completed(Integer n, @Nullable Object attachment) {
                blocked.complete(true);
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }

              @Override
              public void failed(Throwable failure, @Nullable Object attachment) {
                blocked.completeExceptionally(failure);
              }
            });
    assertThat(value(first.client().write(Bytes.ascii("x")))).isOne();
    assertThat(value(blocked)).isTrue();

    for (int i = 0; i < 20; i++) {
      Recorder<Integer> read = new Recorder<>();
      second.server().read(ByteBuffer.allocate(1), null, read);
      assertThat(value(second.client().write(Bytes.ascii("y")))).isOne();
      assertThat(read.value()).isOne();
    }
    release.countDown();
  }

  @Test
  void whatAHandlerThrowsDoesNotEndTheGroup() throws Exception {
    Ends ends = settledPair();
    for (int i = 0; i < 4; i++) {
      CompletableFuture<Boolean> called = new CompletableFuture<>();
      ends.server()
          .read(
              ByteBuffer.allocate(1),
              null,
              new CompletionHandler<Integer, Object>() {
                @Override
                public void completed(Integer n, @Nullable Object attachment) {
                  called.complete(true);
                  Thread.currentThread().setUncaughtExceptionHandler((t, e) -> {});
                  throw new IllegalStateException("thrown by a test on purpose");
                }

                @Override
                public void failed(Throwable failure, @Nullable Object attachment) {
                  called.completeExceptionally(failure);
                }
              });
      assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
      assertThat(value(called)).isTrue();
    }
    Recorder<Integer> read = new Recorder<>();
    ends.server().read(ByteBuffer.allocate(1), null, read);
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
    assertThat(read.value()).isOne();
  }

  @Test
  void aHandlerMayCloseItsChannel() throws Exception {
    Ends ends = settledPair();
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    ends.server()
        .read(
            ByteBuffer.allocate(1),
            null,
            new CompletionHandler<Integer, Object>() {
              @Override
              public void completed(Integer n, @Nullable Object attachment) {
                try {
                  ends.server().close();
                  closed.complete(true);
                } catch (java.io.IOException e) {
                  closed.completeExceptionally(e);
                }
              }

              @Override
              public void failed(Throwable failure, @Nullable Object attachment) {
                closed.completeExceptionally(failure);
              }
            });
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();

    assertThat(value(closed)).isTrue();
    assertThat(value(ends.client().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
  }

  @Test
  void anInterruptIsForgottenBehindTheHandlerAndHarmsNoChannel() throws Exception {
    Ends ends = settledPair();
    for (int i = 0; i < 6; i++) {
      CompletableFuture<Boolean> clean = new CompletableFuture<>();
      ends.server()
          .read(
              ByteBuffer.allocate(1),
              null,
              new CompletionHandler<Integer, Object>() {
                @Override
                public void completed(Integer n, @Nullable Object attachment) {
                  clean.complete(!Thread.currentThread().isInterrupted());
                  Thread.currentThread().interrupt();
                }

                @Override
                public void failed(Throwable failure, @Nullable Object attachment) {
                  clean.completeExceptionally(failure);
                }
              });
      assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
      assertThat(value(clean)).isTrue();
    }
    assertThat(ends.server().isOpen()).isTrue();
  }

  @Test
  void aHandlerOfOneThreadMayNotWaitForItself() throws Exception {
    Ends ends = settledPair(fixedGroup(1));
    CountDownLatch second = new CountDownLatch(1);
    CompletableFuture<Boolean> waiting = new CompletableFuture<>();
    CompletableFuture<Boolean> waited = new CompletableFuture<>();
    ends.server()
        .read(
            ByteBuffer.allocate(1),
            null,
            new CompletionHandler<Integer, Object>() {
              @Override
              public void completed(Integer n, @Nullable Object attachment) {
                waiting.complete(true);
                try {
                  waited.complete(second.await(A_WHILE.toMillis(), MILLISECONDS));
                } catch (InterruptedException e) {
                  waited.completeExceptionally(e);
                }
              }

              @Override
              public void failed(Throwable failure, @Nullable Object attachment) {
                waited.completeExceptionally(failure);
              }
            });
    ends.client()
        .read(
            ByteBuffer.allocate(1),
            null,
            new CompletionHandler<Integer, Object>() {
              @Override
              public void completed(Integer n, @Nullable Object attachment) {
                second.countDown();
              }

              @Override
              public void failed(Throwable failure, @Nullable Object attachment) {
                waited.completeExceptionally(failure);
              }
            });
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
    assertThat(value(waiting)).isTrue();
    assertThat(value(ends.server().write(Bytes.ascii("x")))).isOne();

    assertThat(value(waited)).isFalse();
    assertThat(second.await(Background.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }
}
