package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A native object is destroyed once, whichever thread closes it, and how often. */
class ResourceTest {
  private static final class Counted extends Resource {
    final AtomicInteger destroyed = new AtomicInteger();
    boolean fails;

    @Override
    void destroy() throws IOException {
      destroyed.incrementAndGet();
      if (fails) {
        throw new NativeCallException("ibv_dereg_mr", ErrorNumbers.ENOMEM);
      }
    }
  }

  @Test
  void itIsDestroyedOnce() {
    try (Counted counted = new Counted()) {
      assertThat(counted.isClosed()).isFalse();
      counted.close();
      assertThat(counted.isClosed()).isTrue();
      counted.close();
      assertThat(counted.destroyed).hasValue(1);
    }
  }

  /** A second call of C would free what is free already. */
  @Test
  void notAgainEitherIfThatFailed() {
    try (Counted counted = new Counted()) {
      counted.fails = true;
      counted.close();
      counted.close();
      assertThat(counted.destroyed).hasValue(1);
    }
  }

  @Test
  void onlyOneOfManyThreadsDestroysIt() throws Exception {
    for (int round = 0; round < 100; round++) {
      @SuppressWarnings("resource") // closed by the threads
      Counted counted = new Counted();
      Thread[] threads = new Thread[4];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = Thread.ofPlatform().start(counted::close);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(counted.destroyed).hasValue(1);
    }
  }
}
