package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * What a thread allocates for a round of reads and writes. The best of several batches counts,
 * because the compiler, and not the stream, spoils single ones: the first that is clean is enough,
 * and on a loaded machine it comes late.
 */
public final class AllocationCheck {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int BATCH_ROUNDS = 500;

  private AllocationCheck() {}

  /** One round of reads and writes. */
  @FunctionalInterface
  public interface Round {
    /** Does it. */
    void run() throws Exception;
  }

  /**
   * Fails if each batch allocates, and the carrier says that it does not; of another one it is only
   * reported what the first batch allocates.
   */
  public static void assertAllocatesNothing(Carrier carrier, TestReporter reporter, Round round)
      throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    long least = Long.MAX_VALUE;
    do {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BATCH_ROUNDS; i++) {
        round.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    } while (carrier.allocationFree() && least >= BATCH_ROUNDS && System.nanoTime() - end < 0);
    double perRound = (double) least / BATCH_ROUNDS;
    reporter.publishEntry("bytes allocated per round", Double.toString(perRound));
    if (carrier.allocationFree()) {
      assertThat(perRound).as("bytes allocated per round").isLessThan(1.0);
    }
  }
}
