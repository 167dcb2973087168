package org.slipstream.core.doorbell;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.wait.ThreadSwitches;

@Timeout(60)
class KernelSwitchesTest {

  /** As the first doorbell does. */
  @BeforeAll
  static void link() {
    try (Arena arena = Arena.ofConfined()) {
      SystemCall.CLOSE.call(SystemCall.errorIn(arena), -1, 0, 0, 0);
    }
  }

  private static long ofStatus() throws IOException {
    return Files.readString(Path.of("/proc/thread-self/status"), US_ASCII)
        .lines()
        .filter(line -> line.startsWith("nonvoluntary_ctxt_switches:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theCountIsThatOfTheCallingThread() throws IOException {
    ThreadSwitches switches = Objects.requireNonNull(KernelSwitches.ifCheap());
    for (int i = 0; i < 100; i++) {
      Thread.yield();
      long before = ofStatus();
      long counted = switches.ofThisThread();
      assertThat(counted).isBetween(before, ofStatus());
    }
  }

  /** On one processor two threads that only yield give each other the core. */
  @Test
  void aYieldThatRunsAnotherThreadIsCounted() throws Exception {
    ThreadSwitches switches = Objects.requireNonNull(KernelSwitches.ifCheap());
    long first = switches.ofThisThread();
    Thread[] others = new Thread[2 * Runtime.getRuntime().availableProcessors()];
    for (int i = 0; i < others.length; i++) {
      others[i] = new Thread(KernelSwitchesTest::yieldUntilInterrupted);
      others[i].start();
    }
    try {
      while (switches.ofThisThread() < first + 10) {
        Thread.yield();
      }
    } finally {
      for (Thread other : others) {
        other.interrupt();
        other.join();
      }
    }
  }

  private static void yieldUntilInterrupted() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.yield();
    }
  }
}
