package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.rdma.verbs.WorkQueue;

/**
 * A device that moves nothing: it notes what it is given, and completes what it is told to. Of the
 * requests only those that ask for a completion get one, as with hardware.
 */
final class QuietDevice implements WorkQueue, Completions {

  /** What was written where, in the order in which it was appended. */
  record Write(long remote, int length, boolean signaled) {}

  final List<Write> writes = new ArrayList<>();

  /** How many of the writes the device had been given by the last call that gave it any. */
  int submitted;

  int calls;
  int notifications;
  private final int depth;
  private final int inlineBytes;
  private final Deque<Long> open = new ArrayDeque<>();

  /** Put in by the test, and taken out by the thread that polls. */
  private final Queue<Long> done = new ConcurrentLinkedQueue<>();

  private long polled;

  QuietDevice(int depth, int inlineBytes) {
    this.depth = depth;
    this.inlineBytes = inlineBytes;
  }

  /** Memory that needs no registration. */
  static RemoteMemory memory() {
    return new RemoteMemory() {
      @Override
      public int localKey() {
        return 1;
      }

      @Override
      public int remoteKey() {
        return 2;
      }

      @Override
      public void close() {}
    };
  }

  /** The oldest request that asks for a completion is done, and so are all before it. */
  void complete() {
    done.add(open.remove());
  }

  /** As Soft-iWARP, whose reads wait for their answer while later writes are done. */
  void complete(long id) {
    assertThat(open.remove(id)).as("request %d is open", id).isTrue();
    done.add(id);
  }

  /** The requests that have asked for a completion and wait for it. */
  List<Long> awaiting() {
    return List.copyOf(open);
  }

  /** What was noted so far. */
  void forget() {
    writes.clear();
    submitted = 0;
    calls = 0;
  }

  void completeAll() {
    while (!open.isEmpty()) {
      complete();
    }
  }

  @Override
  public Capacity capacity() {
    return new Capacity(depth, depth, inlineBytes);
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
    writes.add(new Write(remote, length, signaled));
    return post(id, signaled);
  }

  private int post(long id, boolean signaled) {
    if (signaled) {
      open.add(id);
    }
    return 0;
  }

  @Override
  public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
    return post(id, true);
  }

  @Override
  public int send(long id, long local, int length, int localKey, boolean signaled) {
    return post(id, signaled);
  }

  @Override
  public int submit() {
    if (submitted < writes.size()) {
      calls++;
      submitted = writes.size();
    }
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
