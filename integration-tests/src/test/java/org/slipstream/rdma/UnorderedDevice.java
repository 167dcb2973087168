package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.rdma.verbs.WorkQueue;

/**
 * A queue pair over a fabric with adaptive routing and a device that places what arrives: requests
 * that are under way are executed in any order, writes and reads alike. They complete in the order
 * in which they were posted, as everywhere. Both ends are in this process, so an address is an
 * address.
 */
@SuppressWarnings("restricted")
final class UnorderedDevice implements WorkQueue, Completions {
  private static final class Request {
    final long id;
    final long local;
    final int length;
    final long remote;
    final boolean reads;
    final boolean signaled;
    byte[] carried;
    boolean executed;

    Request(long id, long local, int length, long remote, boolean reads, boolean signaled) {
      this.id = id;
      this.local = local;
      this.length = length;
      this.remote = remote;
      this.reads = reads;
      this.signaled = signaled;
    }
  }

  private final int depth;
  private final int inlineBytes;
  private final SplittableRandom random;

  /** Whether it does what it is meant for; else it is as good as any other device. */
  private final boolean unordered;

  private final List<Request> given = new ArrayList<>();
  private final Deque<Request> underWay = new ArrayDeque<>();
  private final Deque<Long> done = new ArrayDeque<>();
  private long polled;
  private boolean armed;
  private boolean event;

  UnorderedDevice(int depth, int inlineBytes, SplittableRandom random, boolean unordered) {
    this.depth = depth;
    this.inlineBytes = inlineBytes;
    this.random = random;
    this.unordered = unordered;
  }

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

  private static MemorySegment at(long address, int length) {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  /** Executes one of the requests that are under way. */
  void step() {
    List<Request> open = underWay.stream().filter(r -> !r.executed).toList();
    if (!open.isEmpty()) {
      Request request = open.get(unordered ? random.nextInt(open.size()) : 0);
      if (request.reads) {
        at(request.local, request.length).copyFrom(at(request.remote, request.length));
      } else if (request.carried != null) {
        at(request.remote, request.length).copyFrom(MemorySegment.ofArray(request.carried));
      } else {
        at(request.remote, request.length).copyFrom(at(request.local, request.length));
      }
      request.executed = true;
    }
    Request first;
    while ((first = underWay.peek()) != null && first.executed) {
      underWay.remove();
      if (first.signaled) {
        done.add(first.id);
        event |= armed;
        armed = false;
      }
    }
  }

  /** Whether a completion has caused an event, which is taken. */
  boolean takeEvent() {
    boolean taken = event;
    event = false;
    return taken;
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
    Request request = new Request(id, local, length, remote, false, signaled);
    if (inline) {
      request.carried = new byte[0]; // when it is submitted
    }
    given.add(request);
    return 0;
  }

  @Override
  public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
    given.add(new Request(id, local, length, remote, true, true));
    return 0;
  }

  @Override
  public int send(long id, long local, int length, int localKey, boolean signaled) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int submit() {
    for (Request request : given) {
      if (request.carried != null) {
        request.carried = at(request.local, request.length).toArray(ValueLayout.JAVA_BYTE);
      }
    }
    underWay.addAll(given);
    given.clear();
    return 0;
  }

  @Override
  public int poll() {
    if (random.nextInt(4) == 0) {
      step(); // a thread that waits sees the device go on
    }
    if (done.isEmpty()) {
      return 0;
    }
    polled = done.remove();
    return 1;
  }

  @Override
  public void requestNotify() {
    armed = true;
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
