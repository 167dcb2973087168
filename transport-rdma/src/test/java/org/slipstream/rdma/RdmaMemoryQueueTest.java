package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.testkit.Seed;
import org.slipstream.transport.MemoryOutcome;
import org.slipstream.transport.ProcessId;

/** Queues of one-sided memory over a device that is memory of this process. */
class RdmaMemoryQueueTest {
  private static final int SIZE = 3 << 20;

  @RegisterExtension final Seed seed = new Seed();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment owned = arena.allocate(SIZE, 4096);
  private final MemorySegment flushWord = arena.allocate(8, 8);
  private final List<Lane> opened = new ArrayList<>();
  private final List<Lane> closed = new ArrayList<>();
  private final List<RemoteDevice> devices = new ArrayList<>();
  private final long[] ids = new long[16];
  private final MemoryOutcome[] outcomes = new MemoryOutcome[16];

  /** An owner. */
  private static final class Owner implements Lane.Peer {
    boolean open = true;

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public @Nullable Way asked() {
      return null;
    }

    @Override
    public ProcessId peer() {
      return new ProcessId(1, 2);
    }

    @Override
    public Token ticket() {
      return Token.NONE;
    }

    @Override
    public DeviceContext device() {
      throw new AssertionError("there is none");
    }
  }

  private final Owner owner = new Owner();

  private final RdmaMemoryQueue.Opener opener =
      new RdmaMemoryQueue.Opener() {
        @Override
        public void open(Lane lane) {
          opened.add(lane);
        }

        @Override
        public void close(Lane lane) {
          closed.add(lane);
        }
      };

  @AfterEach
  void close() {
    arena.close();
  }

  private RdmaPeerMemory memory(int key) {
    MemoryDescriptor descriptor =
        new MemoryDescriptor(owned.address(), key, flushWord.address(), RemoteDevice.KEY, true);
    return new RdmaPeerMemory(owner, descriptor, true);
  }

  /** The owner accepts what has been asked for. */
  private void connect() {
    for (Lane lane : opened) {
      RemoteDevice device = new RemoteDevice(seed.random(), seed.random().nextInt(100));
      devices.forEach(each -> device.keys.addAll(each.keys));
      devices.add(device);
      lane.ready(new Lane.Parts(device, device, arena.allocate(lane.stagingBytes(), 4096), 1));
    }
    opened.clear();
  }

  private RemoteDevice device() {
    return devices.getLast();
  }

  private Map<Long, MemoryOutcome> all(RdmaMemoryQueue queue, int operations) {
    Map<Long, MemoryOutcome> ended = new HashMap<>();
    for (int polls = 0; ended.size() < operations; polls++) {
      assertThat(polls).as("it comes to an end").isLessThan(100_000);
      int n = queue.poll(ids, outcomes);
      connect();
      for (int i = 0; i < n; i++) {
        assertThat(ended.put(ids[i], outcomes[i])).isNull();
      }
    }
    return ended;
  }

  @Test
  void operationsWaitUntilTheOwnerHasAccepted() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 2);
    MemorySegment word = arena.allocate(8);
    assertThat(queue.read(memory(RemoteDevice.KEY), 0, word, 1)).isTrue();
    assertThat(queue.read(memory(RemoteDevice.KEY), 0, word, 2)).isTrue();
    assertThat(queue.read(memory(RemoteDevice.KEY), 0, word, 3)).as("it is full").isFalse();
    queue.submit();
    assertThat(queue.poll(ids, outcomes)).isZero();
    assertThat(opened).as("one way to one owner").hasSize(1);
    connect();
    assertThat(all(queue, 2)).containsOnlyKeys(1L, 2L).containsValue(MemoryOutcome.DONE);
  }

  /** In the order of posting, whatever the device does with reads that no fence stands behind. */
  @Test
  void aRandomProgramDoesWhatAnArrayDoes() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 16);
    RdmaPeerMemory memory = memory(RemoteDevice.KEY);
    MemorySegment model = MemorySegment.ofArray(new byte[SIZE]);
    Map<Long, MemorySegment> expected = new HashMap<>();
    Map<Long, MemorySegment> read = new HashMap<>();
    long next = 0;
    long ended = 0;
    while (next < 3000) {
      int bytes = seed.random().nextInt(50) == 0 ? SIZE / 2 : seed.random().nextInt(300);
      long at = 8L * seed.random().nextInt(seed.random().nextBoolean() ? 50 : (SIZE - bytes) / 8);
      MemorySegment local = MemorySegment.ofArray(new byte[Math.max(8, bytes)]);
      MemorySegment piece = local.asSlice(0, bytes);
      switch (seed.random().nextInt(3)) {
        case 0 -> {
          if (queue.read(memory, at, piece, next)) {
            read.put(next, piece);
            expected.put(
                next++, MemorySegment.ofArray(new byte[bytes]).copyFrom(model.asSlice(at, bytes)));
          }
        }
        case 1 -> {
          fill(piece);
          if (queue.write(memory, at, piece, next)) {
            model.asSlice(at, bytes).copyFrom(piece);
            next++;
          }
        }
        default -> {
          if (queue.fetchAdd(memory, at, 3, local.asSlice(0, 8), next)) {
            long before = model.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            model.set(ValueLayout.JAVA_LONG_UNALIGNED, at, before + 3);
            read.put(next, local.asSlice(0, 8));
            MemorySegment word = MemorySegment.ofArray(new byte[8]);
            word.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, before);
            expected.put(next++, word);
          }
        }
      }
      int n = queue.poll(ids, outcomes);
      connect();
      for (int i = 0; i < n; i++) {
        assertThat(outcomes[i]).isEqualTo(MemoryOutcome.DONE);
        assertThat(ids[i]).isEqualTo(ended++);
        if (read.containsKey(ids[i])) {
          assertThat(read.get(ids[i]).mismatch(expected.get(ids[i]))).isEqualTo(-1);
        }
      }
    }
    all(queue, (int) (next - ended));
    assertThat(owned.mismatch(model)).isEqualTo(-1);
    assertThat(device().mostOpen).as("requests at once").isGreaterThan(1);
  }

  private void fill(MemorySegment piece) {
    byte[] some = new byte[(int) piece.byteSize()];
    seed.random().nextBytes(some);
    piece.copyFrom(MemorySegment.ofArray(some));
  }

  @Test
  void whatIsRefusedEndsAloneAndTheRestIsCarriedOutOnce() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 64);
    RdmaPeerMemory revoked = memory(99);
    RdmaPeerMemory other = memory(RemoteDevice.KEY);
    MemorySegment word = arena.allocate(8);
    MemorySegment large = arena.allocate(SIZE);
    for (int i = 0; i < 60; i += 3) {
      assertThat(queue.fetchAdd(other, 0, 1, word, i)).isTrue();
      assertThat(queue.write(revoked, 8, word, i + 1)).isTrue();
      assertThat(queue.read(other, 0, large, i + 2)).isTrue();
    }
    all(queue, 60)
        .forEach((id, outcome) ->
            assertThat(outcome)
                .isEqualTo(id % 3 == 1 ? MemoryOutcome.REVOKED : MemoryOutcome.DONE));
    assertThat(owned.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(20);
    assertThat(closed).as("the first queue pair").hasSize(1);
    assertThat(devices).hasSize(2);
    assertThat(queue.flush(revoked)).isEqualTo(MemoryOutcome.REVOKED);
    assertThat(queue.flush(other)).isEqualTo(MemoryOutcome.DONE);
  }

  @Test
  void whatWasUnderWayWhenTheQueuePairFailsIsLost() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 4);
    MemorySegment word = arena.allocate(8);
    queue.read(memory(RemoteDevice.KEY), 0, word, 1);
    queue.submit();
    connect();
    assertThat(all(queue, 1)).containsValue(MemoryOutcome.DONE);
    device().cut = true;
    queue.fetchAdd(memory(RemoteDevice.KEY), 0, 1, word, 2);
    queue.read(memory(RemoteDevice.KEY), 0, word, 3);
    assertThat(all(queue, 2).values()).containsOnly(MemoryOutcome.LOST);
    owner.open = false;
    queue.read(memory(RemoteDevice.KEY), 0, word, 4);
    assertThat(all(queue, 1)).containsValue(MemoryOutcome.LOST);
    assertThat(queue.flush(memory(RemoteDevice.KEY))).isEqualTo(MemoryOutcome.LOST);
  }

  @Test
  void anOwnerThatDoesNotAcceptIsLost() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 4);
    MemorySegment word = arena.allocate(8);
    queue.read(memory(RemoteDevice.KEY), 0, word, 1);
    queue.submit();
    opened.getFirst().over();
    opened.clear();
    assertThat(all(queue, 1)).containsValue(MemoryOutcome.LOST);
  }

  @Test
  void memoryThatTheCallerHasClosedIsItsMistakeAndTheQueueGoesOn() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 4);
    Arena gone = Arena.ofConfined();
    queue.read(memory(RemoteDevice.KEY), 0, gone.allocate(8), 1);
    queue.read(memory(RemoteDevice.KEY), 0, arena.allocate(8), 2);
    queue.write(memory(RemoteDevice.KEY), 0, gone.allocate(3 << 19), 3);
    queue.read(memory(RemoteDevice.KEY), 0, arena.allocate(8), 4);
    gone.close();
    queue.submit();
    connect();
    queue.submit();
    int mistakes = 0;
    @Nullable Map<Long, MemoryOutcome> ended = null;
    while (ended == null) {
      try {
        ended = all(queue, 4);
      } catch (IllegalStateException e) {
        mistakes++; // before the ticket of the first operation: one for each, or one for both
      }
    }
    assertThat(mistakes).isBetween(1, 2);
    assertThat(ended).containsOnlyKeys(1L, 2L, 3L, 4L);
  }

  @Test
  void aClosedQueueGivesItsWaysBack() {
    RdmaMemoryQueue queue = new RdmaMemoryQueue(opener, 4);
    queue.read(memory(RemoteDevice.KEY), 0, arena.allocate(8), 1);
    queue.submit();
    queue.close();
    queue.close();
    assertThat(closed).hasSize(1);
    assertThat(all(queue, 1)).containsValue(MemoryOutcome.LOST);
  }
}
