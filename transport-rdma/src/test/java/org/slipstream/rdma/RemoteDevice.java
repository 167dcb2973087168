package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.OneSidedQueue;

/**
 * A queue pair whose other end is memory of this process. Requests are carried out some polls after
 * they were posted; a read that no fence stands behind may be carried out after a later write, as
 * with hardware. A request with a key that was taken away is refused, and breaks the queue pair.
 */
@SuppressWarnings("restricted") // addresses are what a device gets
final class RemoteDevice implements OneSidedQueue, Completions {
  static final int KEY = 7;
  private static final int BATCH = 16;

  /** A request, and what it does when it is carried out. */
  private record Request(long id, int key, boolean isRead, boolean fenced, Runnable action) {}

  /** Keys that the device knows. */
  final Set<Integer> keys = new HashSet<>(Set.of(KEY));

  private final Random random;
  private final int inlineBytes;
  private final Deque<Request> appended = new ArrayDeque<>();
  private final Deque<Request> open = new ArrayDeque<>();
  private final long[] ids = new long[BATCH];
  private final boolean[] good = new boolean[BATCH];
  private boolean refused;
  private boolean broken;

  /** The link is cut: nothing is carried out any more. */
  boolean cut;

  int mostOpen;

  RemoteDevice(Random random, int inlineBytes) {
    this.random = random;
    this.inlineBytes = inlineBytes;
  }

  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private int append(long id, int key, boolean isRead, boolean fenced, Runnable action) {
    appended.add(new Request(id, key, isRead, fenced, action));
    return 0;
  }

  @Override
  public Capacity capacity() {
    return new Capacity(1, 1, inlineBytes);
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
    return append(
        id, remoteKey, false, false, () -> at(remote, length).copyFrom(at(local, length)));
  }

  @Override
  public int writeBehindReads(
      long id, long local, int length, int localKey, long remote, int remoteKey) {
    return append(id, remoteKey, false, true, () -> at(remote, length).copyFrom(at(local, length)));
  }

  @Override
  public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
    return append(id, remoteKey, true, false, () -> at(local, length).copyFrom(at(remote, length)));
  }

  @Override
  public int fetchAdd(
      long id, long local, int localKey, long remote, int remoteKey, long delta, boolean fenced) {
    return append(
        id,
        remoteKey,
        false,
        fenced,
        () -> {
          long before = at(remote, 8).get(ValueLayout.JAVA_LONG, 0);
          at(remote, 8).set(ValueLayout.JAVA_LONG, 0, before + delta);
          at(local, 8).set(ValueLayout.JAVA_LONG, 0, before);
        });
  }

  @Override
  public int compareAndSwap(
      long id,
      long local,
      int localKey,
      long remote,
      int remoteKey,
      long expected,
      long value,
      boolean fenced) {
    return append(
        id,
        remoteKey,
        false,
        fenced,
        () -> {
          long before = at(remote, 8).get(ValueLayout.JAVA_LONG, 0);
          if (before == expected) {
            at(remote, 8).set(ValueLayout.JAVA_LONG, 0, value);
          }
          at(local, 8).set(ValueLayout.JAVA_LONG, 0, before);
        });
  }

  @Override
  public int send(long id, long local, int length, int localKey, boolean signaled) {
    throw new AssertionError("one-sided memory sends no messages");
  }

  @Override
  public int submit() {
    open.addAll(appended);
    appended.clear();
    mostOpen = Math.max(mostOpen, open.size());
    return 0;
  }

  // -- completions -----------------------------------------------------------------------------

  @Override
  public int poll() {
    int n = 0;
    int most = random.nextInt(1 + Math.min(BATCH, open.size()));
    while (n < most && !broken) {
      Request next = open.element();
      if (cut || !keys.contains(next.key)) {
        broken = true;
        refused = !cut;
        ids[n] = next.id;
        good[n++] = false;
        break;
      }
      overtake(next);
      open.remove();
      next.action.run();
      ids[n] = next.id;
      good[n++] = true;
    }
    return n;
  }

  /** A write that no fence holds back takes effect before the reads in front of it. */
  private void overtake(Request read) {
    if (read.isRead && random.nextBoolean()) {
      for (Request behind : open) {
        if (!behind.isRead) {
          if (!behind.fenced && keys.contains(behind.key)) {
            behind.action.run();
          }
          return;
        }
      }
    }
  }

  @Override
  public void requestNotify() {
    throw new AssertionError("it is only polled");
  }

  @Override
  public long id(int i) {
    return ids[i];
  }

  @Override
  public boolean isSuccess(int i) {
    return good[i];
  }

  @Override
  public boolean isRefused(int i) {
    return refused && !good[i];
  }

  @Override
  public String status(int i) {
    return good[i] ? "success" : "failure";
  }
}
