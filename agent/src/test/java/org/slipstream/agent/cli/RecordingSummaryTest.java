package org.slipstream.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordingSummaryTest {
  private final RecordingSummary summary = new RecordingSummary();

  @Test
  void aRecordingWithoutStreamsSaysSo() {
    assertThat(summary.lines()).containsExactly("The recording has no stream of Slipstream.");
  }

  @Test
  void streamsCountWhereTheyEverWereAndReasonsWhereTheyNeverLeftTcp() {
    summary.opened("a");
    summary.carrier("a", "tcp", "OFFERED", "wait");
    summary.carrier("a", "shm", "NONE", "fine");
    summary.carrier("a", "tcp", "RING_FULL", "the peer is slow");
    summary.closed(
        "a",
        "tcp",
        "RING_FULL",
        Map.of("ringBytesOut", 70_000L, "plainBytesIn", 17L, "messagesOut", 3L, "wakeUps", 5L));
    summary.opened("b");
    summary.carrier("b", "tcp", "RULE", "see rules");
    summary.opened("b"); // the addresses again, and no end was recorded
    summary.carrier("b", "tcp", "RULE", "see rules");
    summary.closed("before", "tcp", "URGENT_DATA", Map.of("plainBytesOut", 9L));
    summary.refused("NO_MEMORY", "raise it");
    summary.failedOver("shm");
    summary.slept("read", "shm", 21_000_000);
    summary.slept("read", "shm", 60_000_000);
    assertThat(summary.lines())
        .containsExactly(
            "Streams by what carried them; bytes, messages and waits are those of closed ones:",
            "           streams    closed      ring       tcp  messages     spins  wake-ups",
            "  shm            1         1     70.0k        17         3         0         5",
            "  tcp            3         1         0         9         0         0         0",
            "",
            "Stayed on TCP, because:",
            "       2  RULE: see rules",
            "       1  URGENT_DATA: urgent data or OOBINLINE was used before the upgrade; nothing to"
                + " do but not to use it",
            "",
            "Refused by a peer:",
            "       1  NO_MEMORY: raise it",
            "",
            "Links lost, their streams went on over TCP:",
            "       1  shm",
            "",
            "Rings that stayed full, so that a direction went to TCP and came back: 1",
            "Sleeps of 20 ms or more:",
            "       2  read on shm, 60 ms at most");
  }
}
