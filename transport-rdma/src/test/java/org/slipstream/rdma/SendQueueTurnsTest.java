package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who waits for room in a full queue gets it first, with a device that only counts. */
class SendQueueTurnsTest {
  private static final int DEPTH = 16;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment some = arena.allocate(64);
  private final QuietDevice device = new QuietDevice(DEPTH, 0);
  private final SendQueue queue =
      new SendQueue(
          device,
          device,
          arena.allocate(SendQueue.scratchBytes(DEPTH, 0)),
          QuietDevice.memory(),
          0,
          false,
          why -> {},
          () -> {});

  private List<Long> remotes() {
    return device.writes.stream().map(QuietDevice.Write::remote).toList();
  }

  /** Has so many requests to post; each names its source as the place in the peer's memory. */
  private final class Busy implements SendQueue.Source {
    final long name;
    final SendQueue.Turn turn = new SendQueue.Turn();
    int left;

    Busy(long name) {
      this.name = name;
    }

    void add(int requests) {
      left += requests;
      queue.serve(this);
    }

    @Override
    public SendQueue.Turn turn() {
      return turn;
    }

    @Override
    public boolean equals(Object other) {
      comparisons++;
      return this == other;
    }

    @Override
    public int hashCode() {
      return (int) name;
    }

    @Override
    public boolean post() {
      while (left > 0) {
        if (queue.room() == 0) {
          return queue.isEnded();
        }
        queue.write(some.address(), (int) some.byteSize(), 1, name, 1);
        left--;
      }
      return true;
    }
  }

  /** How often a source was looked for among others. */
  private int comparisons;

  private final Busy first = new Busy(1);
  private final Busy second = new Busy(2);

  @BeforeEach
  void lock() {
    queue.lock.lock();
  }

  @AfterEach
  void unlock() {
    queue.lock.unlock();
    arena.close();
  }

  @Test
  void aQueueWithRoomServesAtOnce() {
    first.add(3);
    second.add(3);
    assertThat(remotes()).containsExactly(1L, 1L, 1L, 2L, 2L, 2L);
    assertThat(device.notifications).as("no writer waits").isZero();
  }

  @Test
  void aWriterThatFindsItFullIsServedWhenThereIsRoomAgain() {
    first.add(DEPTH + 2);
    assertThat(remotes()).hasSize(DEPTH);
    assertThat(first.left).isEqualTo(2);
    assertThat(device.notifications).as("an event will come").isPositive();
    device.complete();
    queue.resume();
    assertThat(first.left).isZero();
    assertThat(remotes()).hasSize(DEPTH + 2);
  }

  @Test
  void aWriterThatAlwaysHasSomethingTakesNoRoomFromOneThatWaits() {
    first.add(DEPTH + 1);
    device.forget();
    device.complete(); // no thread has heard of it yet
    second.add(1);
    assertThat(remotes()).containsExactly(1L, 2L);
    assertThat(first.left).isZero();
    assertThat(second.left).isZero();
  }

  @Test
  void aWriterThatWaitsKeepsItsPlace() {
    first.add(DEPTH + 1);
    second.add(1);
    first.add(1);
    device.forget();
    device.complete();
    queue.resume();
    assertThat(remotes()).as("each waits once").containsExactly(1L, 1L, 2L);
  }

  /** Of ten thousand streams of a session, each that writes while the queue is full. */
  @Test
  void aWriterThatWaitsIsNotLookedForAmongTheOthers() {
    first.add(DEPTH);
    List<Busy> crowd = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      crowd.add(new Busy(3 + i));
      crowd.getLast().add(1);
    }
    comparisons = 0;
    crowd.forEach(each -> each.add(1));
    assertThat(comparisons).isZero();
    device.forget();
    for (int round = 0; round < 2_000; round++) {
      device.completeAll();
      queue.resume();
    }
    assertThat(remotes()).hasSize(20_000);
    assertThat(crowd).allMatch(each -> each.left == 0);
  }

  @Test
  void whatCompletedBeforeTheEventWasAskedForIsSeen() {
    first.add(DEPTH);
    device.complete();
    second.add(1);
    assertThat(second.left).isZero();
  }

  @Test
  void noWriterWaitsForAQueueThatHasEnded() {
    first.add(DEPTH + 1);
    queue.end();
    second.add(1);
    queue.resume();
    assertThat(remotes()).hasSize(DEPTH);
  }
}
