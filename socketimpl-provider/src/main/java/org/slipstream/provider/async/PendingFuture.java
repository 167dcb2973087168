package org.slipstream.provider.async;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The result of an operation that is under way, and the way to give it up. */
final class PendingFuture<V extends @Nullable Object> extends CompletableFuture<V> {

  /** Whose operation it is. */
  interface Owner {
    /**
     * Gives the operation up for good.
     *
     * @return false if its result is already there
     */
    boolean cancelled(PendingFuture<?> future);
  }

  private final Owner owner;
  private final Closeable channel;

  PendingFuture(Owner owner, Closeable channel) {
    this.owner = owner;
    this.channel = channel;
  }

  /** A result that was there at once. */
  @SuppressWarnings("NullAway") // null is a result where V allows it
  static <V extends @Nullable Object> Future<V> completed(
      @Nullable V value, @Nullable Throwable failure) {
    return failure == null
        ? CompletableFuture.completedFuture(value)
        : CompletableFuture.failedFuture(asIo(failure));
  }

  @SuppressWarnings("NullAway") // as above
  void finish(@Nullable V value, @Nullable Throwable failure) {
    if (failure == null) {
      complete(value);
    } else {
      completeExceptionally(asIo(failure));
    }
  }

  /** Futures of channels fail with an IOException, whatever was the cause. */
  private static IOException asIo(Throwable failure) {
    return failure instanceof IOException e ? e : new IOException(failure);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (isDone() || !owner.cancelled(this)) {
      return false;
    }
    super.cancel(mayInterruptIfRunning);
    if (mayInterruptIfRunning) {
      try {
        channel.close();
      } catch (IOException e) {
        // As in the JDK: a caller that cancels forcefully has no interest in how the close went.
        return true;
      }
    }
    return true;
  }
}
