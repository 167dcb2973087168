package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Descriptors that Java does not know. */
class PollerTest {
  private static final Call EVENT_DESCRIPTOR = Call.of(NativeLibrary.c(), "eventfd");
  private static final Call CLOSE = Call.of(NativeLibrary.c(), "close");

  @Test
  void aLookDoesNotWait() throws Exception {
    int empty = EVENT_DESCRIPTOR.countOf(0, 0);
    int full = EVENT_DESCRIPTOR.countOf(1, 0);
    try {
      assertThat(Poller.isReadable(empty)).isFalse();
      assertThat(Poller.isReadable(full)).isTrue();
      assertThat(Poller.isReadable(full)).as("nothing was taken").isTrue();
    } finally {
      CLOSE.countOf(empty, 0);
      CLOSE.countOf(full, 0);
    }
  }

  @Test
  void oneDescriptorWakesAllThatWaitForIt() throws Exception {
    int full = EVENT_DESCRIPTOR.countOf(1, 0);
    try {
      AtomicInteger woken = new AtomicInteger();
      for (int i = 0; i < 2; i++) {
        Poller poller = new Poller();
        poller.add(full, woken::incrementAndGet);
        poller.await(-1);
      }
      assertThat(woken).hasValue(2);
    } finally {
      CLOSE.countOf(full, 0);
    }
  }
}
