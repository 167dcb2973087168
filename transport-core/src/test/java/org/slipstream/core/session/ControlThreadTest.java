package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.Selector;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ControlThreadTest {

  /**
   * The JVM waits at its end for threads inside the kernel; a thread that is parked is not there.
   */
  @Test
  void aProcessThatLeavesIsServedFromOutsideTheKernel() throws Exception {
    ControlThread control = new ControlThread(Selector.open());
    control.start();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    control.execute(() -> thread.complete(Thread.currentThread()));
    Thread itself = thread.get(60, TimeUnit.SECONDS);

    control.leave();

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> itself.getState() == Thread.State.TIMED_WAITING);
    CompletableFuture<Boolean> served = new CompletableFuture<>();
    control.execute(() -> served.complete(true));
    assertThat(served.get(60, TimeUnit.SECONDS)).isTrue();
    control.stop();
    assertThat(itself.isAlive()).isFalse();
  }
}
