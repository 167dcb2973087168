package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.LocalMemory;
import org.slipstream.rdma.verbs.QueuePair;
import org.slipstream.rdma.verbs.WorkQueue;

/** Who waits for room in a full queue gets it first, with a device that only counts. */
class SendQueueTurnsTest {
  private static final int DEPTH = 16;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment some = arena.allocate(64);
  private final Device device = new Device();
  private final SendQueue queue =
      new SendQueue(
          device,
          device,
          arena.allocate(SendQueue.scratchBytes(DEPTH)),
          new Memory(),
          0,
          false,
          why -> {},
          () -> {});

  private static final class Memory implements LocalMemory {
    @Override
    public int localKey() {
      return 1;
    }

    @Override
    public void close() {}
  }

  /** Takes as many requests as its queue has places for; completes the oldest when it is told. */
  private static final class Device implements WorkQueue, Completions {
    final List<Long> remotes = new ArrayList<>();
    int notifications;
    private final Deque<Long> open = new ArrayDeque<>();
    private final Deque<Long> done = new ArrayDeque<>();
    private long polled;

    void complete() {
      done.add(open.remove());
    }

    @Override
    public QueuePair.Capacity capacity() {
      return new QueuePair.Capacity(DEPTH, DEPTH, 0);
    }

    @Override
    public int write(
        long id,
        long local,
        int length,
        int localKey,
        long remote,
        int remoteKey,
        boolean inline,
        boolean signaled) {
      remotes.add(remote);
      if (signaled) {
        open.add(id);
      }
      return 0;
    }

    @Override
    public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
      throw new AssertionError("nobody reads");
    }

    @Override
    public int send(long id, long local, int length, int localKey, boolean signaled) {
      throw new AssertionError("nobody sends");
    }

    @Override
    public int submit() {
      return 0;
    }

    @Override
    public int poll() {
      if (done.isEmpty()) {
        return 0;
      }
      polled = done.remove();
      return 1;
    }

    @Override
    public void requestNotify() {
      notifications++;
    }

    @Override
    public long id(int i) {
      return polled;
    }

    @Override
    public boolean isSuccess(int i) {
      return true;
    }

    @Override
    public String status(int i) {
      return "";
    }
  }

  /** Has so many requests to post; each names its source as the place in the peer's memory. */
  private final class Busy implements SendQueue.Source {
    final long name;
    int left;

    Busy(long name) {
      this.name = name;
    }

    void add(int requests) {
      left += requests;
      queue.serve(this);
    }

    @Override
    public boolean flush() {
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
    assertThat(device.remotes).containsExactly(1L, 1L, 1L, 2L, 2L, 2L);
    assertThat(device.notifications).as("nobody waits").isZero();
  }

  @Test
  void whoFindsItFullIsServedWhenThereIsRoomAgain() {
    first.add(DEPTH + 2);
    assertThat(device.remotes).hasSize(DEPTH);
    assertThat(first.left).isEqualTo(2);
    assertThat(device.notifications).as("an event will come").isPositive();
    device.complete();
    queue.resume();
    assertThat(first.left).isZero();
    assertThat(device.remotes).hasSize(DEPTH + 2);
  }

  @Test
  void whoAlwaysHasSomethingTakesTheRoomFromNobodyWhoWaits() {
    first.add(DEPTH + 1);
    device.remotes.clear();
    device.complete(); // nobody has heard of it yet
    second.add(1);
    assertThat(device.remotes).containsExactly(1L, 2L);
    assertThat(first.left).isZero();
    assertThat(second.left).isZero();
  }

  @Test
  void whoWaitsKeepsItsPlace() {
    first.add(DEPTH + 1);
    second.add(1);
    first.add(1);
    device.remotes.clear();
    device.complete();
    queue.resume();
    assertThat(device.remotes).as("each waits once").containsExactly(1L, 1L, 2L);
  }

  @Test
  void whatCompletedBeforeTheEventWasAskedForIsSeen() {
    first.add(DEPTH);
    device.complete();
    second.add(1);
    assertThat(second.left).isZero();
  }

  @Test
  void nobodyWaitsForAQueueThatHasEnded() {
    first.add(DEPTH + 1);
    queue.end();
    second.add(1);
    queue.resume();
    assertThat(device.remotes).hasSize(DEPTH);
  }
}
