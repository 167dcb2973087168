package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * Two windows joined by a queue pair. The send side is a staging copy of the peer's window; bytes
 * and words travel from there by RDMA writes, in the order of the queue pair.
 *
 * <p>A word is stored into the staging copy and posted in one step under the queue's lock, so that
 * whatever is posted later carries values that are at least as new: {@link ControlWords}. If the
 * queue is full, words and bytes stay here and are posted later, bytes first.
 *
 * <p>Nothing orders the bytes of one write: that is {@linkplain #needsSelfValidation what
 * self-validation is for}. The order of two writes is the fabric's matter: {@link RdmaOrder}.
 *
 * <p>No fence of the processor orders "my store" at the peer and "my look" here. So a publisher
 * also stores the word into a <em>shadow word</em> of its own memory before it looks, and a thread
 * that is about to sleep reads the shadow words of the peer, behind its own store: either the
 * publisher's look finds that store, or the shadow word has what was published, and the sleeper
 * waits until it has arrived. A publish costs one way of the network and never waits; a sleep costs
 * a round trip.
 */
final class RdmaLink implements Link, SendQueue.Source {
  private static final ValueLayout.OfLong LONG = JAVA_LONG.withOrder(LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT = JAVA_INT.withOrder(LITTLE_ENDIAN);
  private static final VarHandle WORD_HANDLE = LONG.varHandle();
  private static final int WORD = ControlWords.WORD;
  private static final int WORDS = ControlWords.WORDS;

  /** A longer piece of the ring would keep other streams waiting. */
  private static final int MAX_PIECE = 64 * 1024;

  /**
   * What the peer has in its shadow words has not arrived: they are read again, in case the stream
   * was closed; first so soon, then after twice the time.
   */
  private static final long FETCH_AGAIN_NS = 1_000_000;

  private static final long FETCH_RARELY_NS = 64 * FETCH_AGAIN_NS;

  /**
   * A peer whose shadow words have for so long what it does not send is left. Bytes may well wait
   * behind a full send queue of a loaded device; but they do move.
   */
  private static final long GRACE_NS = 10_000_000_000L;

  private final SendQueue queue;
  private final SendQueue.Turn turn = new SendQueue.Turn();
  private final RdmaWindow own;
  private final WindowDescriptor peer;
  private final Slab staging;
  private final int slot;
  private final MemorySegment control;
  private final MemorySegment ring;
  private final MemorySegment peerShadow;
  private final PinDownCache pinned;

  // Guarded by the queue's lock.
  private final ControlWords words;

  /** Bytes pushed and bytes posted since the link was made; offsets are positions in the ring. */
  private long pushed;

  private long posted;
  private boolean released;

  /** Released, but the last words still wait for their turn. */
  private boolean draining;

  /** What waits for the placement of what; null if the fabric keeps the order. */
  private final @Nullable WordGates gates;

  private final RdmaOrder order;

  /** The last request that names memory of the program. Writer's thread. */
  private long lastZeroCopy;

  RdmaLink(
      SendQueue queue,
      PinDownCache pinned,
      RdmaWindow own,
      WindowDescriptor peer,
      Slab staging,
      int slot) {
    this.order = own.order().stricter(peer.order());
    this.gates = order.isTrusted() ? null : new WordGates(queue, order, WORDS);
    if (gates != null) {
      queue.signalEach();
    }
    this.queue = queue;
    this.pinned = pinned;
    this.own = own;
    this.peer = peer;
    this.staging = staging;
    this.slot = slot;
    this.control = staging.control(slot);
    this.ring = staging.ring(slot);
    this.peerShadow = staging.shadow(slot);
    this.words = new ControlWords(queue, control, peer, gates);
  }

  @Override
  public MemorySegment receiveControl() {
    return own.control();
  }

  @Override
  public MemorySegment receiveRing() {
    return own.ring();
  }

  @Override
  public MemorySegment sendControl() {
    return control;
  }

  @Override
  public MemorySegment sendRing() {
    return ring;
  }

  @Override
  public boolean isLossless() {
    return false;
  }

  @Override
  public boolean isBroken() {
    return queue.isEnded();
  }

  /** Noted: the bytes travel in one call with the word that is published behind them. */
  @Override
  public void push(long offset, long length) {
    queue.lock.lock();
    try {
      step(offset);
      pushed += length;
    } finally {
      queue.lock.unlock();
    }
  }

  /**
   * A caller whose source failed in the middle steps back and pushes the same place again. One that
   * sent bytes in the control block steps ahead, with nothing left to post.
   */
  private void step(long offset) {
    long back = (pushed - offset) & (peer.ringBytes() - 1);
    pushed -= back;
    posted = Math.min(posted, pushed);
  }

  @Override
  public boolean pushFrom(ByteBuffer source, int index, long offset, int length) {
    queue.lock.lock();
    try {
      PinDownCache.Entry entry = pinned.find(source);
      if (entry == null || released || !flushBytes() || queue.room() == 0) {
        return false;
      }
      step(offset);
      long from = entry.address() + index;
      queue.writeFrom(from, length, entry.localKey(), peer.ring() + offset, peer.key());
      pushed += length;
      posted = pushed;
      lastZeroCopy = queue.lastPosted();
      if (gates != null) {
        gates.posted();
      }
      entry.usedBy(lastZeroCopy);
      return true;
    } finally {
      queue.lock.unlock();
    }
  }

  @Override
  public void awaitTaken() {
    queue.lock.lock();
    try {
      queue.submit(); // perhaps nothing was published behind it
    } finally {
      queue.lock.unlock();
    }
    queue.awaitTaken(lastZeroCopy);
  }

  @Override
  public void publish(long offset, long value) {
    queue.lock.lock();
    try {
      words.publish((int) offset, value);
      if (!released) {
        own.shadow().set(LONG, offset, value);
      }
      flushOrDefer();
    } finally {
      queue.lock.unlock();
    }
  }

  @Override
  public void publishInt(long offset, int value) {
    queue.lock.lock();
    try {
      control.set(INT, offset, value);
      words.publishStored((int) offset);
      flushOrDefer();
    } finally {
      queue.lock.unlock();
    }
  }

  /** Found by comparing, like a plain store; where words wait for their gates, none is. */
  @Override
  public void publishIntLater(long offset, int value) {
    if (gates != null) {
      publishInt(offset, value);
      return;
    }
    queue.lock.lock();
    try {
      control.set(INT, offset, value);
    } finally {
      queue.lock.unlock();
    }
  }

  private void flushOrDefer() {
    if (!released) {
      queue.serve(this);
    }
  }

  @Override
  public SendQueue.Turn turn() {
    return turn;
  }

  @Override
  public boolean post() {
    if (queue.isEnded() || (released && !draining)) {
      return true;
    }
    boolean all = flushBytes() && words.flush();
    queue.submit();
    if (all && !words.arePosted()) {
      queue.awaitPlacement(this);
    } else if (all && draining) {
      draining = false;
      staging.retire(slot, queue);
    }
    return all;
  }

  private boolean flushBytes() {
    while (posted != pushed) {
      if (queue.room() == 0) {
        return queue.isEnded();
      }
      int offset = (int) posted & peer.ringBytes() - 1;
      int length = (int) Math.min(Math.min(pushed - posted, MAX_PIECE), peer.ringBytes() - offset);
      queue.write(
          ring.address() + offset, // no slice: it would be an object wherever this is not inlined
          length,
          staging.region().localKey(),
          peer.ring() + offset,
          peer.key());
      posted += length;
      if (gates != null) {
        gates.posted();
      }
    }
    return true;
  }

  /**
   * What was published before is in the shadow words, and the look that follows comes after that.
   */
  @Override
  public void fence() {
    VarHandle.fullFence();
  }

  /**
   * Reads the peer's memory behind everything that was posted before: when the answer is here, that
   * is placed. What is read says what the peer had published by then.
   */
  @Override
  public void flush() {
    long began = System.nanoTime();
    long again = FETCH_AGAIN_NS;
    do {
      long ticket = fetch();
      if (ticket == 0) {
        return;
      }
      queue.awaitRead(ticket);
      if (queue.isEnded() || awaitArrival(again)) {
        return;
      }
      again = Math.min(2 * again, FETCH_RARELY_NS);
    } while (System.nanoTime() - began < GRACE_NS);
    queue.giveUp("the peer does not send what its shadow words have");
  }

  /** Returns the number of the request, or 0 if the link is of no more use. */
  private long fetch() {
    long wanted = -1;
    long before = -1;
    for (long began = System.nanoTime(); ; Pause.since(began)) {
      queue.lock.lock();
      try {
        if (queue.isEnded() || released) {
          return 0;
        }
        boolean ready = post();
        if (gates != null) {
          // Reads may overtake writes as writes do: first everything has to be placed.
          wanted = wanted < 0 ? gates.now() : wanted;
          queue.poll();
          before = before < 0 && words.arePosted(gates, wanted) ? gates.last() : before;
          ready &= before >= 0 && queue.isDone(before);
        }
        if (ready && queue.room() > 0) {
          int key = staging.region().localKey();
          return queue.read(peerShadow, key, peer.control() + ControlLayout.BYTES, peer.key());
        }
      } finally {
        queue.lock.unlock();
      }
    }
  }

  /** Waits a moment until our window has what the peer's shadow words have. */
  private boolean awaitArrival(long nanos) {
    long began = System.nanoTime();
    while (!hasArrived()) {
      long waited = System.nanoTime() - began;
      if (waited > nanos || queue.isEnded()) {
        return false;
      }
      Pause.since(began);
    }
    return true;
  }

  /** Published words only grow. */
  private boolean hasArrived() {
    for (int i = 0; i < WORDS; i++) {
      long offset = (long) i * WORD;
      long shown = peerShadow.get(LONG, offset);
      if (shown != 0 && isBehind(i, (long) WORD_HANDLE.getAcquire(own.control(), offset), shown)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Of two values of a word; those with a checksum are compared by what they have of a position.
   */
  private boolean isBehind(int word, long value, long other) {
    boolean summed = value < 0 || other < 0 || (word == 0 && needsChecksum());
    return summed ? (int) value - (int) other < 0 : value < other;
  }

  @Override
  public boolean needsSelfValidation() {
    return !needsChecksum();
  }

  @Override
  public boolean needsChecksum() {
    return order == RdmaOrder.CHECKSUMMED;
  }

  /** A queue pair loses nothing; what fails ends the session. */
  @Override
  public boolean losesStores() {
    return false;
  }

  /** Half of a write is there, and the other half does not come. */
  @Override
  public void reportPending(long nanos, boolean asleep) {
    if (nanos > GRACE_NS) {
      queue.giveUp("half of a message is missing");
    }
  }

  @Override
  public void release() {
    queue.lock.lock();
    try {
      if (!released) {
        released = true;
        own.shadow().fill((byte) 0); // not this link's any more: no new shadow words in it
        draining = !words.arePosted() && !queue.isEnded(); // the last words may wait for their turn
        if (!draining) {
          staging.retire(slot, queue);
        }
      }
    } finally {
      queue.lock.unlock();
    }
  }
}
