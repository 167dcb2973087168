package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;
import org.slipstream.testkit.memory.MemoryContract;

/** One-sided memory across a bridge: the contract, and what only an owner that works can do. */
abstract class NtbMemoryContract extends MemoryContract {
  private static final int SIZE = 1 << 20;
  private static final AtomicInteger PORTS = new AtomicInteger(20_000);

  /** What the next domain opens. */
  protected String transports = "ntb";

  /** Of this transport, and which others are used: for all domains of a test. */
  protected static void set(String key, Object value) {
    System.setProperty("slipstream." + key, value.toString());
  }

  @AfterEach
  void forget() {
    for (String key :
        List.of("transports", "ntb.hosts", "ntb.key", "ntb.library", "ntb.node", "ntb.window")) {
      System.clearProperty("slipstream." + key);
    }
  }

  @Override
  protected Domain domain() throws IOException {
    set("transports", transports);
    set("ntb.key", "trusted");
    Domain domain = super.domain();
    domain.announce(new InetSocketAddress("127.0.0.1", PORTS.incrementAndGet()));
    return domain;
  }

  @Override
  protected Queue queue(Domain domain, int depth) {
    return domain.queue(depth);
  }

  @Test
  void thereAreNoLoadsAndStores() throws Exception {
    owner.export("r", SIZE, ALL);
    assertThat(client.map(owner.owner(), "r").direct()).isEmpty();
  }

  @Test
  void largeOperationsGoInPieces() throws Exception {
    int size = 5 * SIZE + 12345;
    Region region = owner.export("r", size, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment sent = arena.allocate(size);
    for (long i = 0; i < size / Long.BYTES; i++) {
      sent.setAtIndex(ValueLayout.JAVA_LONG, i, seed.random().nextLong());
    }
    assertThat(outcome(queue.write(mapped, 0, sent, 1))).isEqualTo(Status.OK);
    assertThat(queue.flush(mapped)).isEqualTo(Status.OK);
    assertThat(region.memory().mismatch(sent)).isEqualTo(-1);
    MemorySegment read = arena.allocate(size);
    assertThat(outcome(queue.read(mapped, 0, read, 2))).isEqualTo(Status.OK);
    assertThat(read.mismatch(sent)).isEqualTo(-1);
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
