package org.slipstream.rdma;

/**
 * Up to which request everything is done. A completion stands for all requests before it, but not
 * for reads: on iWARP that of a write or a message says only that TCP has the bytes, and Soft-iWARP
 * reports it while an earlier read waits for its answer. Guarded by the queue's lock.
 */
final class AnsweredReads {
  /** Reads that have not been answered, the oldest first: a ring of numbers. */
  private final long[] reads;

  private long posted;
  private long answered;

  /** The last request whose completion is here. */
  private long newest;

  /**
   * Makes one.
   *
   * @param depth requests under way at most; each has a place
   */
  AnsweredReads(int depth) {
    reads = new long[depth];
  }

  /** A read is about to be posted. */
  void add(long id) {
    reads[(int) (posted++ % reads.length)] = id;
  }

  /**
   * A request has completed.
   *
   * @return the last request up to which all have
   */
  long complete(long id) {
    newest = Math.max(newest, id);
    if (answered < posted && reads[(int) (answered % reads.length)] == id) {
      answered++;
    }
    return answered == posted
        ? newest
        : Math.min(newest, reads[(int) (answered % reads.length)] - 1);
  }
}
