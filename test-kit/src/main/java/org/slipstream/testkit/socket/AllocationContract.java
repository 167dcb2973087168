package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Patience;

/**
 * Reading and writing in steady state does not allocate, where the carrier says so; elsewhere it is
 * only measured. The figure is the best of several batches: the compiler, not the stream, spoils
 * single ones.
 */
public abstract class AllocationContract extends SocketContract {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WARM_UP_ROUNDS = 10_000;
  private static final int BATCHES = 5;
  private static final int BATCH_ROUNDS = 500;
  private static final long WARM_UP_NANOS = Duration.ofSeconds(8).toNanos();

  /** Nothing is opened yet. */
  protected AllocationContract() {}

  @ParameterizedTest
  @ValueSource(ints = {64, 4000})
  void readsAndWritesDoNotAllocate(int size, TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    byte[] message = new byte[size];
    OutputStream out = ends.client().getOutputStream();
    InputStream in = ends.server().getInputStream();
    OutputStream back = ends.server().getOutputStream();
    InputStream answer = ends.client().getInputStream();

    judge(
        leastAllocationPerRound(() -> {
          out.write(message);
          readFully(in, message);
          back.write(message);
          readFully(answer, message);
        }),
        reporter);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 30_000})
  void waitingInAReadDoesNotAllocate(int timeout, TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    ends.client().setSoTimeout(timeout);
    Background<@Nullable Void> echo =
        Background.run(() -> {
          byte[] message = new byte[64];
          int n = ends.server().getInputStream().read(message);
          while (n >= 0) {
            ends.server().getOutputStream().write(message, 0, n);
            n = ends.server().getInputStream().read(message);
          }
        });
    byte[] message = new byte[64];
    OutputStream out = ends.client().getOutputStream();
    InputStream in = ends.client().getInputStream();

    judge(
        leastAllocationPerRound(() -> {
          out.write(message);
          readFully(in, message);
        }),
        reporter);
    ends.client().shutdownOutput();
    echo.result();
  }

  @Test
  void availableDoesNotAllocate(TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();

    judge(leastAllocationPerRound(in::available), reporter);
  }

  private static void readFully(InputStream in, byte[] target) throws IOException {
    for (int n = 0; n < target.length; ) {
      n += in.read(target, n, target.length - n);
    }
  }

  /** One round of reads and writes. */
  @FunctionalInterface
  private interface Round {
    void run() throws IOException;
  }

  /** Of several batches; on a loaded machine the compiler comes later. */
  private double leastAllocationPerRound(Round round) throws IOException {
    long patience = System.nanoTime() + WARM_UP_NANOS;
    for (int i = 0; i < WARM_UP_ROUNDS && System.nanoTime() - patience < 0; i++) {
      round.run();
    }
    long least = Long.MAX_VALUE;
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    for (int batch = 0; batch < BATCHES || isWorthAnother(least, end); batch++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BATCH_ROUNDS; i++) {
        round.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) least / BATCH_ROUNDS;
  }

  private boolean isWorthAnother(long least, long end) {
    return carrier().allocationFree() && least >= BATCH_ROUNDS && System.nanoTime() - end < 0;
  }

  private void judge(double bytesPerRound, TestReporter reporter) {
    reporter.publishEntry("bytes allocated per round", Double.toString(bytesPerRound));
    if (carrier().allocationFree()) {
      assertThat(bytesPerRound).as("bytes allocated per round").isLessThan(1.0);
    }
  }
}
