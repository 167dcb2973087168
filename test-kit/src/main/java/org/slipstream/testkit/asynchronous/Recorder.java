package org.slipstream.testkit.asynchronous;

import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.Background;

/**
 * A handler that keeps what it was told, and by whom.
 *
 * @param <V> the result
 */
final class Recorder<V> implements CompletionHandler<V, Object> {

  /** What the handler was told. */
  record Told<V>(
      @Nullable V value, @Nullable Throwable failure, @Nullable Object attachment, Thread thread) {}

  private final CompletableFuture<Told<V>> told = new CompletableFuture<>();

  @Override
  public void completed(V result, @Nullable Object attachment) {
    tell(new Told<>(result, null, attachment, Thread.currentThread()));
  }

  @Override
  public void failed(Throwable failure, @Nullable Object attachment) {
    tell(new Told<>(null, failure, attachment, Thread.currentThread()));
  }

  private void tell(Told<V> what) {
    if (!told.complete(what)) {
      throw new AssertionError("Told twice: " + what);
    }
  }

  boolean isTold() {
    return told.isDone();
  }

  Told<V> await() throws InterruptedException {
    try {
      return told.get(Background.DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError("The handler was not called", e);
    }
  }

  V value() throws InterruptedException {
    Told<V> what = await();
    if (what.failure != null || what.value == null) {
      throw new AssertionError("The operation failed", what.failure);
    }
    return what.value;
  }

  Throwable failure() throws InterruptedException {
    Told<V> what = await();
    if (what.failure == null) {
      throw new AssertionError("The operation should fail, but its result is " + what.value);
    }
    return what.failure;
  }
}
