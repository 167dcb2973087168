package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Seed;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.MemoryOutcome;

/** Both ends of a lane of one-sided memory, in one thread: each step is the test's. */
class MemoryLaneTest {
  private static final MemoryAccess ALL = new MemoryAccess(true, true, true);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DEPTH = 64;
  private static final int SIZE = 1 << 20;

  @RegisterExtension final Seed seed = new Seed();

  private final LanePair pair = new LanePair();
  private final MemorySegment region = Arena.ofAuto().allocate(SIZE, 64);
  private final MemorySegment word = Arena.ofAuto().allocate(8, 8);
  private final NtbMemoryQueue queue = new NtbMemoryQueue(DEPTH);
  private final long[] ids = new long[DEPTH];
  private final MemoryOutcome[] outcomes = new MemoryOutcome[DEPTH];
  private GrantedMemory granted;
  private NtbPeerMemory memory;

  @BeforeEach
  void grantAll() throws IOException {
    granted = new GrantedMemory(region, ALL);
    memory = new NtbPeerMemory(pair, pair.grants.add(granted));
    pair.openLane();
  }

  /** What has become of all that was posted. */
  private List<MemoryOutcome> outcomes() {
    List<MemoryOutcome> all = new ArrayList<>();
    for (int rounds = 0; rounds < 1_000; rounds++) {
      queue.submit();
      pair.owner.serve();
      int n = queue.poll(ids, outcomes);
      all.addAll(Arrays.asList(outcomes).subList(0, n));
    }
    return all;
  }

  private void assertDone(boolean posted) {
    assertThat(posted).isTrue();
    assertThat(outcomes()).containsExactly(MemoryOutcome.DONE);
  }

  // -- operations ------------------------------------------------------------------------------

  @Test
  void operationsOfAllSizesAreCarriedOut() {
    for (int size : new int[] {0, 1, 2, 4, 8, 24, 25, 64, 4095, 16384, 16385, 500_000, SIZE}) {
      MemorySegment sent = Arena.ofAuto().allocate(Math.max(size, 1)).asSlice(0, size);
      for (int i = 0; i < size; i++) {
        sent.set(JAVA_BYTE, i, (byte) seed.random().nextInt());
      }
      assertDone(queue.write(memory, 0, sent, 1));
      assertThat(region.asSlice(0, size).mismatch(sent)).isEqualTo(-1);
      MemorySegment read = Arena.ofAuto().allocate(Math.max(size, 1)).asSlice(0, size);
      assertDone(queue.read(memory, 0, read, 1));
      assertThat(read.mismatch(sent)).isEqualTo(-1);
    }
    assertThat(pair.failures).isEmpty();
  }

  @Test
  void atomicOperationsReturnTheValueBefore() {
    region.set(JAVA_LONG, 16, 5);
    assertDone(queue.fetchAdd(memory, 16, 37, word, 1));
    assertThat(word.get(JAVA_LONG, 0)).isEqualTo(5);
    assertDone(queue.compareAndSet(memory, 16, 41, 1, word, 1));
    assertThat(word.get(JAVA_LONG, 0)).isEqualTo(42);
    assertDone(queue.compareAndSet(memory, 16, 42, -1, word, 1));
    assertThat(region.get(JAVA_LONG, 16)).isEqualTo(-1);
  }

  @Test
  void writesAreAnsweredTogether() {
    for (int i = 0; i < 10; i++) {
      assertThat(queue.write(memory, 8L * i, word, i)).isTrue();
    }
    queue.submit();
    pair.atClient.record.clear();
    pair.owner.serve();
    assertThat(pair.atClient.record).containsExactly("flush");
    assertThat(LaneLayout.getLong(pair.answers, LaneLayout.RING + LaneLayout.SUBJECT))
        .as("one answer, to the last of them")
        .isEqualTo(10);
    assertThat(queue.poll(ids, outcomes)).isEqualTo(10);
    assertThat(Arrays.asList(outcomes).subList(0, 10)).containsOnly(MemoryOutcome.DONE);
  }

  @Test
  void ticketsComeInOrderAndTheQueueIsFullAtItsDepth() {
    for (int i = 0; i < DEPTH; i++) {
      assertThat(queue.read(memory, 0, word, i)).isTrue();
    }
    assertThat(queue.read(memory, 0, word, 99)).isFalse();
    assertThat(queue.fetchAdd(memory, 0, 1, word, 99)).isFalse();
    queue.submit();
    assertThat(queue.poll(ids, outcomes)).isZero();
    pair.owner.serve();
    assertThat(queue.poll(ids, outcomes)).isEqualTo(DEPTH);
    for (int i = 0; i < DEPTH; i++) {
      assertThat(ids[i]).isEqualTo(i);
    }
  }

  @Test
  void operationsWaitForALaneThatOpens() throws IOException {
    LanePair late = new LanePair();
    NtbPeerMemory its = new NtbPeerMemory(late, late.grants.add(granted));
    assertThat(queue.write(its, 0, word, 1)).isTrue();
    queue.submit();
    assertThat(queue.poll(ids, outcomes)).isZero();
    late.openLane();
    queue.submit();
    late.owner.serve();
    assertThat(queue.poll(ids, outcomes)).isEqualTo(1);
    assertThat(outcomes[0]).isEqualTo(MemoryOutcome.DONE);
  }

  /** The peer learns that its lane has ended, and not whether the value was added. */
  @Test
  void anOwnerWithoutMemoryForAnAnswerEndsTheLane() {
    assertThat(queue.fetchAdd(memory, 0, 1, word, 1)).isTrue();
    queue.submit();
    pair.atClient.hasNoMemory = true;
    pair.owner.serve();
    pair.atClient.hasNoMemory = false;
    pair.owner.serve();
    assertThat(pair.failures).containsExactly("there was no memory for a request on memory");
    assertThat(pair.owner.isEnded()).isTrue();
    assertThat(region.get(JAVA_LONG, 0)).as("carried out once").isEqualTo(1);
  }

  @Test
  void theServiceGoesOnBehindALaneThatIsReleasedWithoutMemory() {
    OwnerLane over =
        new OwnerLane(
            pair.grants,
            Arena.ofAuto().allocate(LaneLayout.BYTES, 64),
            pair.atClient,
            () -> 1,
            pair.failures::add,
            () -> {
              throw new OutOfMemoryError("as a test has it");
            });
    over.end();
    try (MemoryService service = new MemoryService()) {
      service.add(over);
      service.add(pair.owner);
      assertThat(queue.write(memory, 0, word, 1)).isTrue();
      await()
          .atMost(PATIENCE)
          .until(() -> {
            queue.submit();
            service.wake();
            return queue.poll(ids, outcomes) == 1;
          });
    }
  }

  // -- grants ----------------------------------------------------------------------------------

  @Test
  void aRevokedGrantIsRefusedAndWhatIsBehindGoesOn() throws IOException {
    NtbPeerMemory other =
        new NtbPeerMemory(pair, pair.grants.add(new GrantedMemory(region.asSlice(64), ALL)));
    word.set(JAVA_LONG, 0, 7);
    queue.write(other, 0, word, 1);
    queue.write(memory, 0, word, 2);
    queue.write(other, 8, word, 3);
    queue.read(memory, 0, Arena.ofAuto().allocate(100_000), 4);
    queue.fetchAdd(other, 0, 1, word, 5);
    queue.submit();
    granted.revoke();
    pair.grants.remove(memory.key());
    assertThat(outcomes())
        .containsExactly(
            MemoryOutcome.DONE,
            MemoryOutcome.REVOKED,
            MemoryOutcome.DONE,
            MemoryOutcome.REVOKED,
            MemoryOutcome.DONE);
    assertThat(region.get(JAVA_LONG, 0)).isZero();
    assertThat(region.get(JAVA_LONG, 64)).isEqualTo(8);
    assertThat(queue.flush(other)).isEqualTo(MemoryOutcome.DONE);
    assertThat(pair.failures).isEmpty();
  }

  @Test
  void aKeyIsNeverUsedAgain() throws IOException {
    long key = memory.key();
    pair.grants.remove(key);
    assertThat(pair.grants.find(key)).isNull();
    for (int i = 0; i < 100; i++) {
      long next = pair.grants.add(granted);
      assertThat(next).isNotEqualTo(key);
      assertThat((int) next).as("its place is").isEqualTo((int) key);
      assertThat(pair.grants.find(key)).isNull();
      pair.grants.remove(next);
    }
    assertThat(pair.grants.find(-1)).isNull();
    assertThat(pair.grants.find(Long.MAX_VALUE)).isNull();
  }

  @Test
  void aPeerThatAsksForMoreThanItWasGrantedIsCutOff() throws IOException {
    assertCutOff(new MemoryAccess(false, true, true), LaneLayout.READ, 0, 8);
    assertCutOff(new MemoryAccess(true, false, true), LaneLayout.WRITE, 0, 8);
    assertCutOff(new MemoryAccess(true, true, false), LaneLayout.FETCH_ADD, 0, 0);
    assertCutOff(new MemoryAccess(true, true, false), LaneLayout.COMPARE_AND_SET, 0, 0);
    assertCutOff(ALL, LaneLayout.READ, SIZE - 7, 8);
    assertCutOff(ALL, LaneLayout.READ, -8, 8);
    assertCutOff(ALL, LaneLayout.READ, Long.MAX_VALUE, 8);
    assertCutOff(ALL, LaneLayout.READ, 0, -1);
    assertCutOff(ALL, LaneLayout.READ, 0, LaneLayout.MAX_PIECE + 1);
    assertCutOff(ALL, LaneLayout.WRITE, SIZE, 1);
    assertCutOff(ALL, LaneLayout.FETCH_ADD, 4, 0);
    assertCutOff(ALL, LaneLayout.FETCH_ADD, SIZE, 0);
    assertCutOff(ALL, (byte) 9, 0, 0);
  }

  private void assertCutOff(MemoryAccess access, byte kind, long at, long bytes)
      throws IOException {
    LanePair liar = new LanePair();
    long key = liar.grants.add(new GrantedMemory(region, access));
    liar.openLane();
    boolean writes = kind == LaneLayout.WRITE;
    MemorySegment record = liar.client.begin(kind, key, at, writes ? (int) bytes : 0);
    LaneLayout.putLong(record, LaneLayout.INLINE, bytes);
    assertThat(liar.client.store(record, 0, 0, -1)).isTrue();
    assertThat(liar.owner.serve()).isFalse();
    assertThat(liar.failures).as("kind " + kind + " at " + at).hasSize(1);
    assertThat(liar.owner.isEnded()).isTrue();
    assertThat(region.mismatch(Arena.ofAuto().allocate(SIZE))).isEqualTo(-1);
  }

  @Test
  void aDescriptionHasEightBytes() throws IOException {
    ByteBuffer out = ByteBuffer.allocate(32);
    NtbPeerMemory.describe(0x1234_5678_9abc_def0L, out);
    assertThat(NtbPeerMemory.read(pair, out.flip()).key()).isEqualTo(0x1234_5678_9abc_def0L);
    for (int length : new int[] {0, 7, 9, 32}) {
      assertThatThrownBy(() -> NtbPeerMemory.read(pair, ByteBuffer.allocate(length)))
          .isInstanceOf(IOException.class);
    }
  }

  // -- sleeping --------------------------------------------------------------------------------

  @Test
  void anOwnerThatSleepsIsWokenOnceForEachArming() {
    assertDone(queue.write(memory, 0, word, 1));
    assertThat(pair.wakes).as("an owner that looks").isZero();
    assertThat(pair.owner.arm()).isTrue();
    assertThat(pair.owner.arm()).as("again, without a store").isTrue();
    for (int i = 0; i < 3; i++) {
      queue.write(memory, 0, word, 1);
      queue.submit();
    }
    assertThat(pair.wakes).isEqualTo(1);
    outcomes();
    assertThat(pair.owner.arm()).isTrue();
    queue.write(memory, 0, word, 1);
    queue.submit();
    assertThat(pair.wakes).isEqualTo(2);
  }

  @Test
  void aRequestThatCameBeforeTheArmingIsSeen() {
    queue.write(memory, 0, word, 1);
    queue.submit();
    assertThat(pair.owner.arm()).as("there is something to do").isFalse();
    assertThat(outcomes()).containsExactly(MemoryOutcome.DONE);
  }

  @Test
  void aWakeUpThatFindsNoRoomIsTriedAgain() {
    assertThat(pair.owner.arm()).isTrue();
    pair.wakeable = false;
    queue.write(memory, 0, word, 1);
    queue.submit();
    assertThat(pair.wakes).isZero();
    pair.wakeable = true;
    assertThat(queue.poll(ids, outcomes)).isZero();
    assertThat(pair.wakes).isEqualTo(1);
  }

  // -- ends ------------------------------------------------------------------------------------

  @Test
  void anOwnerThatIsSilentIsLost() {
    queue.read(memory, 0, word, 1);
    queue.submit();
    pair.now += ClientLane.PATIENCE_NS;
    assertThat(queue.poll(ids, outcomes)).isZero();
    pair.owner.serve();
    pair.now++;
    assertThat(queue.poll(ids, outcomes)).as("it answered before we looked").isEqualTo(1);
    queue.read(memory, 0, word, 2);
    queue.write(memory, 0, word, 3);
    queue.submit();
    pair.now += ClientLane.PATIENCE_NS + 1;
    assertThat(queue.poll(ids, outcomes)).isEqualTo(2);
    assertThat(outcomes[0]).isEqualTo(MemoryOutcome.LOST);
    assertThat(outcomes[1]).isEqualTo(MemoryOutcome.LOST);
    assertThat(pair.failures).hasSize(1);
    assertThat(queue.flush(memory)).isEqualTo(MemoryOutcome.LOST);
  }

  @Test
  void aLaneThatDoesNotOpenIsLost() throws IOException {
    LanePair late = new LanePair();
    NtbPeerMemory its = new NtbPeerMemory(late, late.grants.add(granted));
    queue.write(its, 0, word, 1);
    queue.submit();
    late.now += ClientLane.PATIENCE_NS;
    assertThat(queue.poll(ids, outcomes)).isZero();
    late.now++;
    Thread.yield();
    assertThat(queue.poll(ids, outcomes)).isEqualTo(1);
    assertThat(outcomes[0]).isEqualTo(MemoryOutcome.LOST);
  }

  @Test
  void whenTheSessionEndsAllThatIsUnderWayIsLost() {
    queue.read(memory, 0, word, 1);
    queue.submit();
    queue.write(memory, 0, word, 2);
    pair.open = false;
    assertThat(queue.poll(ids, outcomes)).isEqualTo(2);
    assertThat(outcomes[0]).isEqualTo(MemoryOutcome.LOST);
    assertThat(outcomes[1]).isEqualTo(MemoryOutcome.LOST);
    assertThat(queue.flush(memory)).isEqualTo(MemoryOutcome.LOST);
    queue.write(memory, 0, word, 3);
    assertThat(queue.poll(ids, outcomes)).isEqualTo(1);
    assertThat(outcomes[0]).isEqualTo(MemoryOutcome.LOST);
  }

  @Test
  void aRequestThatNeverArrivesWholeEndsTheSession() {
    queue.write(memory, 0, Arena.ofAuto().allocate(1_000), 1);
    queue.submit();
    pair.requests.set(JAVA_BYTE, LaneLayout.RING + 500, (byte) 1);
    assertThat(pair.owner.serve()).isFalse();
    assertThat(pair.owner.isPending()).isTrue();
    pair.now += OwnerLane.MAX_PENDING_NS;
    assertThat(pair.owner.serve()).isFalse();
    assertThat(pair.failures).isEmpty();
    pair.now += 2;
    assertThat(pair.owner.serve()).isFalse();
    assertThat(pair.failures).hasSize(1);
    assertThat(region.mismatch(Arena.ofAuto().allocate(SIZE))).isEqualTo(-1);
  }

  @Test
  void answersToAQueueThatIsClosedAreNotTheNextOnes() throws IOException {
    region.set(JAVA_LONG, 0, 1);
    region.set(JAVA_LONG, 8, 2);
    MemorySegment old = Arena.ofAuto().allocate(8, 8);
    queue.read(memory, 0, old, 1);
    queue.submit();
    queue.close();
    NtbMemoryQueue next = new NtbMemoryQueue(1);
    assertThat(next.read(memory, 8, word, 2)).isTrue();
    next.submit();
    pair.owner.serve();
    assertThat(next.poll(ids, outcomes)).isEqualTo(1);
    assertThat(ids[0]).isEqualTo(2);
    assertThat(word.get(JAVA_LONG, 0)).isEqualTo(2);
    assertThat(old.get(JAVA_LONG, 0)).isZero();
    assertThat(pair.failures).isEmpty();
  }

  @Test
  void localMemoryThatIsClosedIsAMistakeOfTheCaller() {
    Arena arena = Arena.ofShared();
    MemorySegment local = arena.allocate(8, 8);
    queue.read(memory, 0, local, 1);
    queue.submit();
    arena.close();
    pair.owner.serve();
    assertThatThrownBy(() -> queue.poll(ids, outcomes)).isInstanceOf(IllegalStateException.class);
    assertDone(queue.read(memory, 0, word, 2) && queue.poll(ids, outcomes) == 1);
  }
}
