package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slipstream.rdma.verbs.Completions;
import org.slipstream.rdma.verbs.LocalMemory;
import org.slipstream.rdma.verbs.WorkQueue;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryShortage;

/**
 * The sending half of a queue pair, for many threads. Requests are executed in the order in which
 * they are posted. A thread that finds the queue full does not wait: what it wanted to send is its
 * own state, and it is {@linkplain #serve deferred} until there is room.
 *
 * <p>Writes are gathered, and the device gets them by {@link #submit}: one call and one doorbell
 * for the bytes and words of a message. The writer calls it before it gives the lock back; only
 * zero-copy memory may wait for the word that is published behind it.
 *
 * <p>Only every so many requests ask for a completion; one completion stands for all before it.
 * Methods are called with {@link #lock} held, unless they say otherwise.
 */
final class SendQueue {
  /** Requests under way, at most; the sources keep what they want to send beyond that. */
  static final int SENDS = 512;

  /** A sender of requests. */
  interface Source {
    /**
     * Posts what it has, as far as there is {@link #room}. With the lock held.
     *
     * @return true if nothing is left
     */
    boolean post();

    /** Where it waits; always the same object. */
    Turn turn();
  }

  /**
   * Whether a source is among those that wait: ten thousand streams may, and no caller searches
   * them. Guarded by the lock of the queue.
   */
  static final class Turn {
    private boolean deferred;
    private boolean awaitingPlacement;
  }

  /** Room for the longest piece of a control block: words behind that travel one by one. */
  private static final int SCRATCH_BYTES = ControlLayout.PLAIN_BYTES;

  /** A device that completes nothing for so long is given up, although it reports no failure. */
  static final long STALL_NS = 30_000_000_000L;

  final ReentrantLock lock = new ReentrantLock();

  private final WorkQueue queuePair;
  private final Completions completions;
  private final Consumer<String> failure;
  private final Runnable watch;
  private final MemorySegment scratch;
  private final int scratchKey;
  private final int depth;
  private final int inlineBytes;
  private final boolean signalAll;

  /** Every write asks for a completion: words wait for the placement of what is before them. */
  private boolean signalEach;

  private final Deque<Source> deferred = new ArrayDeque<>();

  /** What waits for completions, and not for room. */
  private final Deque<Source> awaitingPlacement = new ArrayDeque<>();

  /** What had completed when they were called last; whether an event will follow the next one. */
  private long served;

  private boolean notified;

  private final AnsweredReads reads;
  private long posted;

  /** What had been posted at the last {@link #look}. */
  private long lookedAt;

  /** Completions that the device has reported; one stands for all requests before it. */
  private long reported;

  /** How often a thread had to wait for room. */
  private long waits;

  /** The last request that asked for a completion. */
  private long signaled;

  /** The event thread will {@link #look}; what had completed when there was progress last. */
  private boolean watched;

  private long progress;
  private long progressNanos;

  /** Written with the lock held; any thread asks. */
  private volatile boolean ended;

  /** Written with the lock held; read by waiting threads. */
  private volatile long completed;

  /** Of reads that a thread waited for, smoothed; written racily by such threads. */
  private volatile long roundTripNanos;

  /** The queue pair is destroyed: the device reads no memory any more. */
  private volatile boolean fenced;

  /**
   * Makes one.
   *
   * @param queuePair its sending half is ours
   * @param completions of it
   * @param scratch at least {@link #scratchBytes(int, int)}, for the same inline bytes
   * @param region in which scratch lies
   * @param maxInline bytes that a request may carry itself, if the queue pair can
   * @param signalAll whether every write from memory asks for a completion, because that of a later
   *     request says nothing about the memory of an earlier one
   * @param failure told of the first request that failed, with the lock held
   * @param watch asks for a {@link #look} every so often, with the lock held
   */
  SendQueue(
      WorkQueue queuePair,
      Completions completions,
      MemorySegment scratch,
      LocalMemory region,
      int maxInline,
      boolean signalAll,
      Consumer<String> failure,
      Runnable watch) {
    this.watch = watch;
    this.queuePair = queuePair;
    this.completions = completions;
    this.scratch = scratch;
    this.scratchKey = region.localKey();
    this.failure = failure;
    this.signalAll = signalAll;
    // A device may give more, but the completion queue was made for so many.
    this.depth = Math.min(queuePair.capacity().sends(), SENDS);
    this.reads = new AnsweredReads(depth);
    this.inlineBytes = inlineBytes(queuePair, maxInline);
  }

  /** What a request carries itself. */
  static int inlineBytes(WorkQueue queuePair, int maxInline) {
    return Math.min(maxInline, queuePair.capacity().inlineBytes());
  }

  /**
   * A copy of words of a control block for each request; none where requests carry them themselves,
   * but for an address that a request without bytes can name.
   */
  static long scratchBytes(int depth, int inlineBytes) {
    return inlineBytes >= SCRATCH_BYTES ? SCRATCH_BYTES : (long) depth * SCRATCH_BYTES;
  }

  /** Requests that can be posted now; looks for completions if that is few. */
  int room() {
    if (depth - (posted - completed) < depth / 2) {
      takeCompletions();
    }
    return ended ? 0 : (int) (depth - (posted - completed));
  }

  /** Whether nothing travels any more. Without the lock. */
  boolean isEnded() {
    return ended;
  }

  private long next() {
    if (!watched) {
      progress = completed;
      progressNanos = System.nanoTime();
      watch.run();
      watched = true; // behind it, which may have no memory
    }
    return ++posted;
  }

  private boolean nextIsSignaled(boolean inline) {
    if (posted - signaled >= depth / 4 || (signalAll && !inline) || signalEach) {
      signal();
      return true;
    }
    return false;
  }

  /** The request that is about to be posted asks for a completion. */
  private void signal() {
    signaled = posted;
  }

  /**
   * Sees to it that a failure is heard of, whether or not a thread waits for a completion: most
   * writes ask for none, so what was posted last gets an empty request behind it that does, and the
   * next completion of any kind makes an event. Gives the queue up if nothing completes although
   * something should: a device's own retries end sooner, this is for one that says nothing at all.
   * Event thread, without the lock.
   *
   * @param now {@link System#nanoTime}
   * @return false if nothing is under way, and nothing was posted since the last look: the next
   *     request asks again
   */
  boolean look(long now) {
    lock.lock();
    try {
      takeCompletions();
      if (ended || (completed >= posted && posted == lookedAt)) {
        watched = false;
        return false;
      }
      if (completed != progress || completed >= signaled) {
        progress = completed;
        progressNanos = now;
      } else if (now - progressNanos >= STALL_NS) {
        fail("the device completes nothing");
        return false;
      }
      if (completed < posted) {
        // Asked for first: what completes from now on causes an event.
        completions.requestNotify();
        probe();
      }
      lookedAt = posted;
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing of what is under way would ask for a completion: something behind it does. */
  private void probe() {
    if (completed >= signaled && room() > 0) {
      ++posted;
      signal();
      check(queuePair.write(posted, scratch.address(), 0, scratchKey, 0, 0, inlineBytes > 0, true));
      submit();
    }
  }

  /** The device gets what was written; nothing once the queue has ended, as it may be gone. */
  void submit() {
    if (!ended) {
      check(queuePair.submit());
    }
  }

  /** Writes bytes that stay as they are until the peer has taken them out of its ring. */
  void write(long local, int length, int localKey, long remote, int remoteKey) {
    long id = next();
    boolean inline = length <= inlineBytes;
    check(
        queuePair.write(
            id, local, length, localKey, remote, remoteKey, inline, nextIsSignaled(inline)));
  }

  /** As {@link #write}, from memory whose owner waits until that is done. */
  void writeFrom(long local, int length, int localKey, long remote, int remoteKey) {
    long id = next();
    signal();
    check(queuePair.write(id, local, length, localKey, remote, remoteKey, false, true));
  }

  /** Writes bytes as they are now, or by {@link #submit}: then they may change. */
  void writeNow(MemorySegment block, long offset, int length, long remote, int remoteKey) {
    long id = next();
    boolean inline = length <= inlineBytes;
    long from = block.address() + offset;
    if (!inline) {
      long slot = id % depth * SCRATCH_BYTES;
      MemorySegment.copy(block, offset, scratch, slot, length);
      from = scratch.address() + slot;
    }
    check(
        queuePair.write(
            id, from, length, scratchKey, remote, remoteKey, inline, nextIsSignaled(inline)));
  }

  /**
   * Sends a message that stays as it is until the peer has received it. Always signaled: messages
   * are rare, and what was posted before one is known to be done soon after.
   */
  void send(MemorySegment message, int localKey) {
    next();
    signal();
    check(queuePair.send(posted, message.address(), (int) message.byteSize(), localKey, true));
    submit();
  }

  /** Requests under way; with the lock held, as the next. */
  long underWay() {
    return posted - completed;
  }

  int depth() {
    return depth;
  }

  /** How many completions the device has reported; with the lock held. */
  long completions() {
    return reported;
  }

  /** How often a source was deferred because the queue was full. For tests. */
  long waits() {
    return waits;
  }

  /** The number of the request that was posted last. */
  long lastPosted() {
    return posted;
  }

  /** Whether the device needs the memory of a request no more. Without the lock. */
  boolean isDone(long id) {
    return completed >= id;
  }

  /**
   * Reads the peer's memory, which comes after the placement of everything that was posted before.
   *
   * @return to be waited for by {@link #awaitCompleted}
   */
  long read(MemorySegment local, int localKey, long remote, int remoteKey) {
    long id = next();
    reads.add(id);
    signal();
    check(queuePair.read(id, local.address(), (int) local.byteSize(), localKey, remote, remoteKey));
    submit();
    return id;
  }

  private void check(int error) {
    if (error != 0) {
      fail("posting failed with errno " + error);
    }
  }

  private void fail(String cause) {
    if (!ended) {
      ended = true;
      failure.accept(cause);
    }
  }

  /** Gives the queue pair up. Without the lock. */
  void giveUp(String cause) {
    lock.lock();
    try {
      fail(cause);
    } finally {
      lock.unlock();
    }
  }

  private void takeCompletions() {
    int n;
    while (!ended && (n = completions.poll()) != 0) {
      if (n < 0) {
        fail("the completion queue is broken");
        return;
      }
      reported += n;
      for (int i = 0; i < n; i++) {
        if (completions.isSuccess(i)) {
          completed = reads.complete(completions.id(i));
        } else {
          fail(completions.status(i));
        }
      }
    }
  }

  /**
   * Calls a source: at once if no source waits for room, else behind those that do, so that a
   * source that always has something to send takes no other's room. Again when there is room, if
   * some is left.
   */
  void serve(Source source) {
    if (deferred.isEmpty() && source.post()) {
      if (!awaitingPlacement.isEmpty()) {
        servePlacing();
      }
      return;
    }
    if (!ended) {
      defer(source);
      resume(); // what completed before the notification was asked for causes none
    }
  }

  /** From now on every write asks for a completion. With or without the lock. */
  void signalEach() {
    lock.lock();
    try {
      signalEach = true;
    } finally {
      lock.unlock();
    }
  }

  /** A source has something left that has to wait for completions: it is called after each. */
  void awaitPlacement(Source source) {
    if (!source.turn().awaitingPlacement) {
      awaitingPlacement.add(source); // first: it may have no memory
      source.turn().awaitingPlacement = true;
    }
  }

  /** Looks for completions, for a thread that waits for the placement of something. */
  void poll() {
    takeCompletions();
    servePlacing();
  }

  /** Until nothing more has completed, and an event will say when something does. */
  private void servePlacing() {
    while (!ended && !awaitingPlacement.isEmpty()) {
      if (!notified) {
        notified = true;
        completions.requestNotify();
      }
      takeCompletions();
      if (completed == served) {
        return;
      }
      served = completed;
      for (int n = awaitingPlacement.size(); n > 0; n--) {
        Source source = awaitingPlacement.remove();
        source.turn().awaitingPlacement = false;
        if (!source.post() && !ended) {
          defer(source);
        }
      }
    }
  }

  private void defer(Source source) {
    for (int attempt = 1; !source.turn().deferred; attempt++) {
      try {
        deferred.add(source);
        completions.requestNotify();
        source.turn().deferred = true;
        waits++;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e); // what was published waits for it
      }
    }
  }

  /** There is an event of the completion queue. */
  void completed() {
    notified = false;
    resume();
  }

  /**
   * Calls the sources that wait for room, if there is some, and wakes the threads that wait for
   * completions.
   */
  void resume() {
    resumeDeferred();
    servePlacing();
  }

  private void resumeDeferred() {
    takeCompletions();
    Source source;
    while ((source = deferred.peek()) != null) {
      if (!source.post() && !ended) {
        completions.requestNotify();
        takeCompletions();
        if (room() == 0) {
          return;
        }
        continue;
      }
      deferred.remove();
      source.turn().deferred = false;
    }
  }

  /**
   * Waits until a request has completed, or the queue has ended. Without the lock. The wait is as
   * long as the network needs; a peer that has vanished is a failure after the device's retries,
   * and a device that says nothing is given up by {@link #look}.
   */
  void awaitCompleted(long id) {
    long began = completed < id ? System.nanoTime() : 0;
    while (completed < id) {
      if (lock.tryLock()) {
        try {
          if (ended) {
            return;
          }
          poll();
        } finally {
          lock.unlock();
        }
      }
      if (completed < id) {
        Pause.since(began);
      }
    }
  }

  /** As {@link #awaitCompleted}, for a read that was just posted: its time is remembered. */
  void awaitRead(long id) {
    long began = System.nanoTime();
    awaitCompleted(id);
    long took = System.nanoTime() - began;
    long before = roundTripNanos;
    roundTripNanos = before == 0 ? took : before + (took - before) / 8;
  }

  /** What a round trip takes that a thread waits for, lately; 0 if there was none. Any thread. */
  long roundTripNanos() {
    return roundTripNanos;
  }

  /**
   * Waits until the device needs the memory of a request no more. Without the lock. A queue that
   * has ended is not enough: until the queue pair is destroyed, the device may still read what was
   * posted, and the peer would take whatever the program has written there by then for ours.
   */
  void awaitTaken(long id) {
    awaitCompleted(id);
    long began = System.nanoTime();
    while (completed < id && !fenced) {
      Pause.since(began);
    }
  }

  /** Nothing is posted any more, and no thread waits for completions any more. */
  void end() {
    ended = true;
    deferred.clear();
    awaitingPlacement.clear();
  }

  /** After {@link #end}: the queue pair is destroyed. Event thread, without the lock. */
  void fence() {
    fenced = true;
  }
}
