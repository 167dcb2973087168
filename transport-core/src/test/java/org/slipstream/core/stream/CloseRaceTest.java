package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.ring.ControlLayout;
import org.slipstream.core.ring.HeapLink;

/** A stream that is closed while somebody else is inside, or looks at it afterwards. */
@Timeout(20)
class CloseRaceTest {

  private static Bench accelerated() throws IOException {
    Bench b = Bench.client().nonBlocking().attached();
    b.stream.nudge();
    b.peerSwitchesAt(0);
    b.ring("x");
    assertThat(b.readFully(1)).isEqualTo("x");
    return b;
  }

  private static void closeFromAnotherThread(Bench b) {
    CompletableFuture.runAsync(
            () -> {
              try {
                b.stream.close(false);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .join();
  }

  @Test
  void aWriterInsideGivesTheLinkBackWhenItLeaves() throws Exception {
    try (Bench b = accelerated()) {
      ((HeapLink) b.link.link()).inFence(() -> onceClosed(b));
      b.write("bytes", false);
      assertThat(b.unused.get()).isEqualTo(1);
    }
  }

  @Test
  void aSelectorInsideGivesTheLinkBackWhenItLeaves() throws Exception {
    try (Bench b = accelerated()) {
      ((HeapLink) b.link.link()).inFence(() -> onceClosed(b));
      b.stream.readiness().armForRead();
      await().untilAsserted(() -> assertThat(b.unused.get()).isEqualTo(1));
    }
  }

  private static void onceClosed(Bench b) {
    ((HeapLink) b.link.link()).inFence(() -> {});
    closeFromAnotherThread(b);
  }

  @Test
  void aSelectorThatComesTooLateDoesNotTouchTheWindow() throws Exception {
    try (Bench b = accelerated()) {
      b.stream.close(false);
      assertThat(b.unused.get()).isEqualTo(1);
      // The window is somebody else's now.
      b.peer.link().receiveControl().fill((byte) 0);
      b.stream.readiness().armForRead();
      b.stream.readiness().armForSpace();
      b.stream.readiness().absorb();
      assertThat(b.peer.link().receiveControl().get(ValueLayout.JAVA_INT, ControlLayout.ARMED))
          .isZero();
    }
  }
}
