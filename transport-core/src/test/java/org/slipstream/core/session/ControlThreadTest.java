package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.Reactor;

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

  @Test
  void aTaskForWhichThereIsNoMemoryRunsAgain() throws Exception {
    ControlThread control = new ControlThread(Selector.open());
    control.start();
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Integer> done = new CompletableFuture<>();
    control.execute(() -> {
      if (attempts.incrementAndGet() < 4) {
        throw new OutOfMemoryError("injected");
      }
      done.complete(attempts.get());
    });
    assertThat(done.get(60, TimeUnit.SECONDS)).isEqualTo(4);
    control.stop();
  }

  /** What fails here for want of memory leaves streams asleep that wait to hear of it. */
  @Test
  void aHandlerIsToldOfItsFailureUntilItHasHeardAll() throws Exception {
    ControlThread control = new ControlThread(Selector.open());
    control.start();
    Pipe pipe = Pipe.open();
    AtomicInteger told = new AtomicInteger();
    CompletableFuture<Throwable> heard = new CompletableFuture<>();
    control.register(
        pipe.source(),
        SelectionKey.OP_READ,
        new Reactor.Handler() {
          @Override
          public void ready(SelectionKey key) {
            throw new OutOfMemoryError("injected");
          }

          @Override
          public void failed(Throwable cause) {
            if (told.incrementAndGet() < 4) {
              throw new OutOfMemoryError("again");
            }
            heard.complete(cause);
          }
        });
    pipe.sink().close();
    assertThat(heard.get(60, TimeUnit.SECONDS)).hasMessage("injected");
    assertThat(pipe.source().isOpen()).isFalse();
    control.stop();
  }
}
