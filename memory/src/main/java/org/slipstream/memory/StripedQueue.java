package org.slipstream.memory;

import java.lang.foreign.MemorySegment;

/**
 * Operations of one thread on {@link StripedRegion}s: a {@link Queue} below does them, in as many
 * pieces as they have units. Order, statuses and exceptions are that queue's, for each piece; the
 * status of an operation is the worst of its pieces'. Operations within one unit do not allocate;
 * others make a segment for each piece.
 */
public final class StripedQueue {
  private final Queue works;
  private final int depth;

  /** As many places as a power of two has; the number of an operation says which is its. */
  private final long[] tickets;

  private final Status[] statuses;

  /** Pieces that have not ended. */
  private final int[] open;

  private final long[] ended = new long[16];
  private final Status[] how = new Status[16];

  // The caller's thread only: operations posted and polled so far.
  private long posted;
  private long polled;

  /**
   * Makes one.
   *
   * @param works does the pieces, and nothing else from now on
   * @param depth how many operations may be posted and not polled
   */
  public StripedQueue(Queue works, int depth) {
    if (depth < 1 || depth > 1 << 20) {
      throw new IllegalArgumentException("A queue has a depth from 1 to 1048576, not " + depth);
    }
    this.works = works;
    this.depth = depth;
    int places = Integer.highestOneBit(2 * depth - 1);
    this.tickets = new long[places];
    this.statuses = new Status[places];
    this.open = new int[places];
  }

  private int place(long number) {
    return (int) number & (tickets.length - 1);
  }

  /** Takes a place for an operation; negative if there is none. */
  private int begin(StripedRegion region, long at, long bytes, long ticket) {
    if (posted - polled == depth) {
      return -1;
    }
    int place = place(posted);
    tickets[place] = ticket;
    statuses[place] =
        region.isClosed()
            ? Status.REVOKED
            : at < 0 || at > region.byteSize() - bytes ? Status.OUT_OF_RANGE : Status.OK;
    open[place] = 0;
    posted++;
    return place;
  }

  /**
   * Posts a read, as {@link Queue#read}.
   *
   * @param region to read from
   * @param at where in the region
   * @param into receives as many bytes as it has
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  public boolean read(StripedRegion region, long at, MemorySegment into, long ticket) {
    return transfer(region, at, into, ticket, false);
  }

  /**
   * Posts a write, as {@link Queue#write}.
   *
   * @param region to write to
   * @param at where in the region
   * @param from what is written, all of it
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  public boolean write(StripedRegion region, long at, MemorySegment from, long ticket) {
    return transfer(region, at, from, ticket, true);
  }

  private boolean transfer(
      StripedRegion region, long at, MemorySegment local, long ticket, boolean writes) {
    long bytes = local.byteSize();
    int place = begin(region, at, bytes, ticket);
    if (place < 0 || statuses[place] != Status.OK) {
      return place >= 0;
    }
    long done = 0;
    do { // once for no bytes, which says whether it may be done
      long there = at + done;
      long n = there == region.byteSize() ? 0 : region.togetherAt(there, bytes - done);
      MemorySegment piece = n == bytes ? local : local.asSlice(done, n);
      RemoteRegion part = region.partAt(Math.min(there, region.byteSize() - 1));
      long offset = n == 0 ? 0 : region.offsetAt(there);
      try {
        while (!(writes
            ? works.write(part, offset, piece, place)
            : works.read(part, offset, piece, place))) {
          takePieces();
        }
      } catch (RuntimeException e) {
        throw mistake(e);
      }
      open[place]++;
      done += n;
    } while (done < bytes);
    return true;
  }

  /**
   * Posts an addition, as {@link Queue#fetchAdd}.
   *
   * @param region where the word is
   * @param at a multiple of 8
   * @param delta what is added
   * @param result its first 8 bytes receive the value before
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  public boolean fetchAdd(
      StripedRegion region, long at, long delta, MemorySegment result, long ticket) {
    checkWord(at);
    int place = begin(region, at, Long.BYTES, ticket);
    if (place < 0 || statuses[place] != Status.OK) {
      return place >= 0;
    }
    try {
      while (!works.fetchAdd(region.partAt(at), region.offsetAt(at), delta, result, place)) {
        takePieces();
      }
    } catch (RuntimeException e) {
      throw mistake(e);
    }
    open[place]++;
    return true;
  }

  /**
   * Posts a comparison, as {@link Queue#compareAndSet}.
   *
   * @param region where the word is
   * @param at a multiple of 8
   * @param expected the value that it must have
   * @param value the new one
   * @param result its first 8 bytes receive the value before
   * @param ticket what {@link #poll} will return
   * @return false if the queue is full: nothing was posted
   */
  public boolean compareAndSet(
      StripedRegion region, long at, long expected, long value, MemorySegment result, long ticket) {
    checkWord(at);
    int place = begin(region, at, Long.BYTES, ticket);
    if (place < 0 || statuses[place] != Status.OK) {
      return place >= 0;
    }
    try {
      while (!works.compareAndSet(
          region.partAt(at), region.offsetAt(at), expected, value, result, place)) {
        takePieces();
      }
    } catch (RuntimeException e) {
      throw mistake(e);
    }
    open[place]++;
    return true;
  }

  /** The caller's local memory can not be used: its first piece says so, and nothing was posted. */
  private RuntimeException mistake(RuntimeException e) {
    posted--;
    return e;
  }

  private static void checkWord(long at) {
    if ((at & Long.BYTES - 1) != 0) {
      throw new IllegalArgumentException("An atomic operation needs a multiple of 8, not " + at);
    }
  }

  /** Begins all that was posted. */
  public void submit() {
    works.submit();
  }

  private void takePieces() {
    works.submit();
    int n = works.poll(ended, how);
    for (int i = 0; i < n; i++) {
      int place = (int) ended[i];
      open[place]--;
      statuses[place] = StripedRegion.worse(statuses[place], how[i]);
    }
  }

  /**
   * Takes what has ended, in the order in which it was posted, and does not wait for more.
   *
   * @param into receives tickets
   * @param outcomes receives what has become of each
   * @return how many of both; 0 if none has ended
   */
  public int poll(long[] into, Status[] outcomes) {
    takePieces();
    int most = Math.min(into.length, outcomes.length);
    int n = 0;
    while (n < most && polled < posted && open[place(polled)] == 0) {
      into[n] = tickets[place(polled)];
      outcomes[n] = statuses[place(polled)];
      polled++;
      n++;
    }
    return n;
  }

  /**
   * Waits until all that this queue has posted for a region is in its owners' memory, where every
   * process sees it.
   *
   * @param region the region
   * @return {@link Status#OK}, or why it is not certain
   */
  public Status flush(StripedRegion region) {
    Status worst = region.isClosed() ? Status.REVOKED : Status.OK;
    for (int i = 0; i < region.parts().size(); i++) {
      worst = StripedRegion.worse(worst, works.flush(region.parts().get(i)));
    }
    return worst;
  }
}
