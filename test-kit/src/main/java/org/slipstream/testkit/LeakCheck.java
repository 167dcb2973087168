package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Does something many times and counts what that leaves behind in the process. */
public final class LeakCheck {
  /** Tag of tests that count what the whole process has: nothing may run beside them in its JVM. */
  public static final String WHOLE_PROCESS = "whole-process";

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int WARM_UP = 5;
  private static final int SLACK = 8;

  /** A leak of one thing a cycle is more than the slack, wherever this runs. */
  private static final int CYCLES = Math.max(2 * SLACK, Extent.of(60));

  private static final int ROUNDS = 5;

  private LeakCheck() {}

  /**
   * Fails if descriptors, threads, or what a carrier's core keeps (streams, links, offers, bytes of
   * rings) grow with the number of cycles.
   *
   * @param carrier that the cycle uses
   * @param cycle closes what it opens
   */
  public static void assertLeavesNothingBehind(Carrier carrier, Background.Action cycle)
      throws Exception {
    Requirement.require(Files.isDirectory(DESCRIPTORS), "a /proc to count descriptors in");
    run(cycle, WARM_UP);
    long descriptors = descriptors();
    int threads = Thread.getAllStackTraces().size();
    int[] census = carrier.census();
    long memory = carrier.memoryBytes();

    run(cycle, CYCLES);

    Patience.await()
        .untilAsserted(() -> {
          assertThat(descriptors()).as("descriptors").isLessThan(descriptors + SLACK);
          assertThat(Thread.getAllStackTraces().size()).as("threads").isLessThan(threads + SLACK);
          assertNoMore(carrier.census(), census);
        });
    assertLevelsOff(carrier, cycle, memory);
  }

  private static void assertNoMore(int[] now, int[] before) {
    assertThat(now).hasSameSizeAs(before);
    for (int i = 0; i < now.length; i++) {
      assertThat(now[i])
          .as("streams, links, offers, unmatched: number " + i)
          .isLessThanOrEqualTo(before[i]);
    }
  }

  /** A slot of a slab keeps its storage for the next link, so that there is a highest level. */
  private static void assertLevelsOff(Carrier carrier, Background.Action cycle, long before)
      throws Exception {
    long level = before;
    for (int round = 0; carrier.memoryBytes() > level; round++) {
      assertThat(round).as("rounds in each of which bytes of rings were lost").isLessThan(ROUNDS);
      level = carrier.memoryBytes();
      run(cycle, CYCLES);
    }
  }

  private static void run(Background.Action cycle, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      cycle.run();
    }
  }

  private static long descriptors() {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
