package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.transport.HeapLink;

/** What {@link RdmaOrderBenchmark} measures with, over memory of this process. */
class RingTurnsTest {
  private static final int RING = 64 * 1024;
  private static final int BATCHES = 3;

  private final HeapLink.Pair link = HeapLink.pair(RING, RING);
  private final RingEnd a = new RingEnd(link.a(), link.a().window(), 1);
  private final RingEnd b = new RingEnd(link.b(), link.b().window(), 1);
  private final RingTurns turns = new RingTurns();

  @BeforeEach
  void join() {
    RingEnd.join(a, b);
  }

  @AfterEach
  void close() {
    turns.close();
  }

  /** In the mailbox, in the ring, and larger than the ring. */
  @ParameterizedTest
  @ValueSource(ints = {64, 256, 4096, 100_000})
  void exchangesReturnWhatWasSent(int bytes) throws Exception {
    assertThat(turns.exchange(a, b, bytes, BATCHES)).isPositive();
    assertThat(turns.exchange(a, b, bytes, BATCHES)).isPositive();
  }

  @Test
  void endsThatSleepWakeEachOther() throws Exception {
    a.sleeps(true);
    b.sleeps(true);
    assertThat(turns.exchange(a, b, 64, BATCHES)).isPositive();
    a.sleeps(false);
    b.sleeps(false);
    assertThat(turns.exchange(a, b, 256, BATCHES)).isPositive();
  }

  @Test
  void transfersEndWhenEverythingWasRead() throws Exception {
    assertThat(turns.transfer(a, b, ByteBuffer.allocate(1 << 20), 5)).isPositive();
    assertThat(turns.exchange(a, b, 64, BATCHES)).isPositive();
  }

  /** A benchmark that polled on would never end, and nothing would say why. */
  @Test
  void endThatFailsEndsTheTurnOfBoth() {
    link.b()
        .beforePublish(() -> {
          throw new IllegalStateException("no medium");
        });
    assertThatThrownBy(() -> turns.exchange(a, b, 64, BATCHES))
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("no medium"));
  }

  @Test
  void linkThatFailsEndsTheTurn() {
    link.a().breakDown();
    assertThatThrownBy(() -> a.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
  }
}
