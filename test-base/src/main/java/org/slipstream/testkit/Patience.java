package org.slipstream.testkit;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;
import org.awaitility.pollinterval.PollInterval;

/**
 * How long tests wait for what must come. A test that passes never waits so long; one that fails
 * fails later. So every deadline is far above what a loaded machine needs, and all are said here.
 * An emulated machine is many times slower: {@code -Dslipstream.test.patience=10} multiplies them.
 */
public final class Patience {
  private static final int FACTOR = Integer.getInteger("slipstream.test.patience", 1);

  /** For anything that takes moments when nothing is wrong. */
  public static final Duration DEADLINE = seconds(60);

  /** For work that takes tens of seconds on an idle machine: crowds, soaks, loads. */
  public static final Duration LONG = seconds(300);

  private static final Duration FIRST_LOOK = Duration.ofMillis(1);
  private static final Duration LONGEST_GAP = Duration.ofMillis(100);

  /** Apart from the deadlines, which programs without Awaitility on their class path read too. */
  private static final class Looks {
    static final PollInterval INTERVAL =
        IterativePollInterval.iterative(Patience::next, FIRST_LOOK);
  }

  private Patience() {}

  /**
   * A wait on an ordinary machine.
   *
   * @param seconds there
   * @return here
   */
  public static Duration seconds(int seconds) {
    return Duration.ofSeconds((long) seconds * FACTOR);
  }

  /**
   * One second, where a second is what is promised: that of a machine with a core for each thread.
   * A loaded one gets as many seconds as it has runnable threads for each core.
   *
   * @return at least one second
   */
  public static Duration promptly() {
    double load =
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()
            / Runtime.getRuntime().availableProcessors();
    return seconds(1 + (int) Math.max(0, load));
  }

  /**
   * Awaitility with our deadline instead of its own, and with looks that begin at once: most of
   * what tests wait for takes less than the tenth of a second between two looks of Awaitility.
   *
   * @return to be told what to wait for
   */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(DEADLINE).pollDelay(FIRST_LOOK).pollInterval(Looks.INTERVAL);
  }

  /** Twice as long as before, and no longer than Awaitility's own; the first may have been none. */
  private static Duration next(Duration last) {
    long millis = 2 * Math.max(last.toMillis(), 1);
    return Duration.ofMillis(Math.min(millis, LONGEST_GAP.toMillis()));
  }
}
