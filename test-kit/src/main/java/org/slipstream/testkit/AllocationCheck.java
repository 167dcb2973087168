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
    double perRound = bytesPerRound(carrier.allocationFree(), round);
    reporter.publishEntry("bytes allocated per round", Double.toString(perRound));
    if (carrier.allocationFree()) {
      assertNothing(perRound);
    }
  }

  /** Fails if each batch allocates. */
  public static void assertAllocatesNothing(Round round) throws Exception {
    assertNothing(bytesPerRound(true, round));
  }

  private static void assertNothing(double perRound) {
    assertThat(perRound).as("bytes allocated per round").isLessThan(1.0);
  }

  /** Of the best batch, or of the first one. */
  private static double bytesPerRound(boolean best, Round round) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    long least = Long.MAX_VALUE;
    do {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BATCH_ROUNDS; i++) {
        round.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    } while (best && least >= BATCH_ROUNDS && System.nanoTime() - end < 0);
    return (double) least / BATCH_ROUNDS;
  }
}
