package org.slipstream.rdma;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slipstream.rdma.verbs.NativeCallException;

/**
 * How much memory of the program an endpoint may keep pinned, over all its sessions. A registered
 * buffer only saves a copy, so it gives way: to a buffer of another session that was used later,
 * and to everything that a stream can not do without when the kernel has no more memory to lock.
 *
 * <p>Safe for any thread; a thread that evicts or gives way holds no lock of a cache.
 */
final class PinBudget {

  /** What gives way. */
  interface Holder {
    /**
     * When what it would let go first was used last; {@link Long#MAX_VALUE} if there is nothing.
     */
    long oldestUse();

    /** Lets some go. Returns how many bytes are not pinned any more; may sleep. */
    long letSomeGo();

    /** Lets everything go that the device does not use at this moment, as {@link #letSomeGo}. */
    long letAllGo();
  }

  /** Something that pins memory. */
  @FunctionalInterface
  interface Attempt<T> {
    T make() throws IOException;
  }

  private final long limitBytes;
  private final AtomicLong pinnedBytes = new AtomicLong();
  private final AtomicLong clock = new AtomicLong();
  private final List<Holder> holders = new CopyOnWriteArrayList<>();

  /**
   * Makes an empty one.
   *
   * @param limitBytes pinned at most
   */
  PinBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  long limitBytes() {
    return limitBytes;
  }

  /** Bytes that are pinned now, or about to be. */
  long pinnedBytes() {
    return pinnedBytes.get();
  }

  /** A later use has a greater number. */
  long tick() {
    return clock.incrementAndGet();
  }

  void join(Holder holder) {
    holders.add(holder);
  }

  /** After its last {@link #release}. */
  void leave(Holder holder) {
    holders.remove(holder);
  }

  /** Sessions that have a cache. */
  int holders() {
    return holders.size();
  }

  boolean tryReserve(long bytes) {
    for (; ; ) {
      long now = pinnedBytes.get();
      if (now + bytes > limitBytes) {
        return false;
      }
      if (pinnedBytes.compareAndSet(now, now + bytes)) {
        return true;
      }
    }
  }

  void release(long bytes) {
    pinnedBytes.addAndGet(-bytes);
  }

  /** The one that used its oldest longest ago lets some go; or the next one. Returns the bytes. */
  long evict() {
    record Candidate(Holder holder, long oldestUse) {}

    List<Candidate> candidates =
        holders.stream()
            .map(h -> new Candidate(h, h.oldestUse()))
            .sorted(Comparator.comparingLong(Candidate::oldestUse))
            .toList();
    for (Candidate each : candidates) {
      long bytes = each.holder.letSomeGo();
      if (bytes > 0) {
        return bytes;
      }
    }
    return 0;
  }

  /**
   * Makes something that needs pinned memory; if there is none, registered buffers give way and it
   * is tried once more.
   *
   * @param attempt leaves nothing behind if it fails
   * @return what it made
   * @throws IOException it failed for another reason, or again
   */
  <T> T orGiveWay(Attempt<T> attempt) throws IOException {
    try {
      return attempt.make();
    } catch (NativeCallException e) {
      if (!e.isNoMemory() || giveWay() == 0) {
        throw e;
      }
      return attempt.make();
    }
  }

  private long giveWay() {
    return holders.stream().mapToLong(Holder::letAllGo).sum();
  }
}
