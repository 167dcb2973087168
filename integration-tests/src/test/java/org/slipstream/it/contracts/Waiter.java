package org.slipstream.it.contracts;

import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Waits for what an operation gives. */
final class Waiter<V> implements CompletionHandler<V, Object> {
  private final CompletableFuture<String> outcome = new CompletableFuture<>();

  @Override
  public void completed(V result, Object attachment) {
    outcome.complete(result + " with " + attachment);
  }

  @Override
  public void failed(Throwable failure, Object attachment) {
    outcome.complete(Probe.describe(failure) + " with " + attachment);
  }

  String await() throws Exception {
    return "handler: " + outcome.get(20, TimeUnit.SECONDS);
  }

  static Object get(Future<?> future) throws Exception {
    try {
      return "future: " + future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return "future: " + Probe.describe(e.getCause());
    }
  }
}
