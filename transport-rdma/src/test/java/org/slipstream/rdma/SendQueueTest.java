package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A send queue over a device that completes when it is told to. */
class SendQueueTest {
  private static final int DEPTH = 64;

  private final Arena arena = Arena.ofShared();
  private final QuietDevice device = new QuietDevice(DEPTH, 0);
  private final List<String> failures = new ArrayList<>();
  private final MemorySegment scratch = arena.allocate(SendQueue.scratchBytes(DEPTH, 0));
  private final MemorySegment some = arena.allocate(1024);
  private int watches;
  private final SendQueue queue =
      new SendQueue(
          device, device, scratch, QuietDevice.memory(), 0, false, failures::add, () -> watches++);

  @AfterEach
  void close() {
    arena.close();
  }

  private void write() {
    queue.lock.lock();
    try {
      queue.write(some.address(), (int) some.byteSize(), 1, 0, 1);
    } finally {
      queue.lock.unlock();
    }
  }

  private long read() {
    queue.lock.lock();
    try {
      return queue.read(some, 1, 0, 1);
    } finally {
      queue.lock.unlock();
    }
  }

  private long send() {
    queue.lock.lock();
    try {
      queue.send(some, 1);
      return queue.lastPosted();
    } finally {
      queue.lock.unlock();
    }
  }

  private void lookForCompletions() {
    assertThat(queue.look(System.nanoTime())).isEqualTo(!device.awaiting().isEmpty());
  }

  @Test
  void aLaterCompletionDoesNotStandForAReadWithoutAnAnswer() {
    long before = send();
    long read = read();
    long after = send();
    device.complete(before);
    device.complete(after);
    lookForCompletions();
    assertThat(queue.isDone(before)).isTrue();
    assertThat(queue.isDone(read)).as("its answer is not here").isFalse();
    assertThat(queue.isDone(after)).as("behind the read").isFalse();
    device.complete(read);
    lookForCompletions();
    assertThat(queue.isDone(read)).isTrue();
    assertThat(queue.isDone(after)).as("what has completed stays so").isTrue();
    queue.awaitCompleted(after); // returns
    assertThat(failures).isEmpty();
  }

  @Test
  void readsAreAnsweredOneByOne() {
    for (int round = 0; round < 3 * DEPTH; round++) {
      long first = read();
      long second = read();
      long message = send();
      device.complete(message);
      device.complete(first);
      lookForCompletions();
      assertThat(queue.isDone(first)).isTrue();
      assertThat(queue.isDone(second)).as("round %d", round).isFalse();
      device.complete(second);
      lookForCompletions();
      assertThat(queue.isDone(message)).isTrue();
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void aDeviceThatCompletesNothingIsGivenUp() {
    long request = read();
    assertThat(watches).isEqualTo(1);
    long now = System.nanoTime();
    assertThat(queue.look(now)).isTrue();
    assertThat(queue.look(now + SendQueue.STALL_NS / 2)).as("it may still come").isTrue();
    assertThat(failures).isEmpty();
    assertThat(queue.look(now + SendQueue.STALL_NS)).isFalse();
    assertThat(failures).containsExactly("the device completes nothing");
    assertThat(queue.isEnded()).isTrue();
    queue.awaitCompleted(request); // returns
    assertThat(queue.look(now + 2 * SendQueue.STALL_NS)).isFalse();
    assertThat(failures).hasSize(1);
  }

  @Test
  void aDeviceThatIsOnlySlowIsNot() {
    for (int i = 0; i < 10; i++) {
      read();
    }
    assertThat(watches).as("one look at a time").isEqualTo(1);
    long now = System.nanoTime();
    for (int i = 0; i < 9; i++) {
      device.complete();
      now += SendQueue.STALL_NS - 1;
      assertThat(queue.look(now)).isTrue();
    }
    device.complete();
    assertThat(queue.look(now + SendQueue.STALL_NS)).as("nothing is awaited").isFalse();
    assertThat(failures).isEmpty();
    assertThat(queue.isEnded()).isFalse();
  }

  /**
   * A program may write a message, never wait for anything, and still want it to arrive: the path
   * was lost, and no completion that is awaited would ever say so.
   */
  @Test
  void aWriteThatAsksForNoCompletionIsFollowedByARequestThatDoes() {
    write();
    assertThat(watches).as("looked after").isEqualTo(1);
    assertThat(device.awaiting()).isEmpty();
    long now = System.nanoTime();
    assertThat(queue.look(now)).isTrue();
    assertThat(device.awaiting()).as("an empty request, signaled").containsExactly(2L);
    assertThat(device.writes.getLast().length()).isZero();
    assertThat(device.submitted).as("the device has it").isEqualTo(2);
    assertThat(device.notifications).as("its completion is an event").isPositive();
    assertThat(queue.look(now + 1)).as("one is enough").isTrue();
    assertThat(device.awaiting()).hasSize(1);
    device.completeAll();
    assertThat(queue.look(now + 2)).as("nothing is under way, and nothing new").isFalse();
    assertThat(queue.isDone(1)).isTrue();
    write();
    assertThat(watches).as("looked after again").isEqualTo(2);
    assertThat(failures).isEmpty();
  }

  @Test
  void aRequestThatTheDeviceSaysNothingAboutIsAStall() {
    write();
    long now = System.nanoTime();
    assertThat(queue.look(now)).isTrue();
    assertThat(queue.look(now + SendQueue.STALL_NS - 1)).isTrue();
    assertThat(failures).isEmpty();
    assertThat(queue.look(now + SendQueue.STALL_NS)).isFalse();
    assertThat(failures).containsExactly("the device completes nothing");
  }

  /** A device whose path is lost tries for a while. Its threads must not burn processors. */
  @Test
  void aThreadThatWaitsForACompletionSleeps() throws Exception {
    long request = read();
    Thread waiting = Thread.ofPlatform().start(() -> queue.awaitCompleted(request));
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    waiting.interrupt(); // keeps its flag, and sleeps all the same
    await().until(() -> waiting.isInterrupted());
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    device.complete();
    assertThat(waiting.join(Duration.ofSeconds(60))).isTrue();
    assertThat(queue.isDone(request)).isTrue();
  }

  @Test
  void aQueueOfWritesIsLookedAfterToo() {
    for (int i = 0; i < DEPTH / 2; i++) {
      write();
    }
    assertThat(watches).isEqualTo(1);
    long now = System.nanoTime();
    assertThat(queue.look(now + SendQueue.STALL_NS)).isFalse();
    assertThat(failures).hasSize(1);
  }

  @Test
  void oneWriteInAHundredAndTwentyEightAsksForACompletion() {
    int depth = SendQueue.SENDS;
    QuietDevice counting = new QuietDevice(depth, 0);
    MemorySegment room = arena.allocate(SendQueue.scratchBytes(depth, 0));
    SendQueue full =
        new SendQueue(
            counting, counting, room, QuietDevice.memory(), 0, false, failures::add, () -> {});
    full.lock.lock();
    try {
      for (int i = 0; i < depth; i++) {
        assertThat(full.room()).isPositive();
        full.write(some.address(), (int) some.byteSize(), 1, 0, 1);
      }
      assertThat(full.room()).as("the queue is full").isZero();
      assertThat(counting.awaiting()).containsExactly(128L, 256L, 384L, 512L);
      counting.complete();
      assertThat(full.room()).as("one completion stands for all before it").isEqualTo(128);
    } finally {
      full.lock.unlock();
    }
    assertThat(failures).isEmpty();
  }
}
