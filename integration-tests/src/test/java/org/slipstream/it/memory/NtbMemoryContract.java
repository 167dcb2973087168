package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Grant;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;

/** One-sided memory across a bridge: between hosts, and what only an owner that works can do. */
abstract class NtbMemoryContract extends HostsMemoryContract {
  NtbMemoryContract() {
    super("ntb");
  }

  @Override
  String host() {
    return "127.0.0.1";
  }

  /** The owner refuses what the client's library has not heard of yet, and nothing else ends. */
  @Test
  void revokingNeedsNoConfirmationAndHarmsNoOtherRegion() throws Exception {
    Region region = owner.export("r", SIZE, Set.of());
    owner.export("other", SIZE, ALL);
    RemoteRegion other = client.map(owner.owner(), "other");
    MemorySegment word = arena.allocate(8);
    for (int round = 1; round <= 5; round++) {
      Grant grant = region.grant(ALL);
      RemoteRegion mapped = client.map(grant);
      assertThat(outcome(queue.read(mapped, 0, word, 1))).isEqualTo(Status.OK);
      assertThat(region.revoke(grant, Duration.ZERO)).as("without the client").isTrue();
      assertThat(outcome(queue.write(mapped, 0, arena.allocate(8).fill((byte) 1), 1)))
          .isEqualTo(Status.REVOKED);
      assertThat(region.memory().get(ValueLayout.JAVA_BYTE, 0)).isZero();
      assertThat(outcome(queue.fetchAdd(other, 0, 1, word, 1))).isEqualTo(Status.OK);
      assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(round - 1);
    }
  }

  /** A lane of a closed queue goes to the next one, whatever is still under way on it. */
  @Test
  void aQueueThatIsClosedLeavesItsLaneToTheNext() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment piece = arena.allocate(SIZE).fill((byte) 7);
    for (int i = 0; i < 600; i++) {
      try (Queue its = client.queue(2)) {
        MemorySegment word = arena.allocate(8);
        region.memory().set(ValueLayout.JAVA_LONG, 0, i);
        assertThat(outcome(its, its.read(mapped, 0, word, 1))).isEqualTo(Status.OK);
        assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        its.write(mapped, 8, piece.asSlice(0, 1000), 1);
        its.submit();
      }
    }
  }
}
