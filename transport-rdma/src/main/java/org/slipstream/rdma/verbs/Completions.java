package org.slipstream.rdma.verbs;

/** Where finished work requests are found. For the holder of the caller's lock. */
public interface Completions {

  /**
   * Takes finished work requests. Never waits.
   *
   * @return how many there are to be asked for; negative if the queue is broken
   */
  int poll();

  /** Asks for one event at the next completion; to be followed by a {@link #poll}. */
  void requestNotify();

  /**
   * The number that the request was posted with.
   *
   * @param i which of the last {@link #poll}
   * @return wr_id
   */
  long id(int i);

  /**
   * Whether it did what it should.
   *
   * @param i which of the last {@link #poll}
   * @return false if {@link #status} says why not
   */
  boolean isSuccess(int i);

  /**
   * Whether the peer's device has refused the request: the key is not valid, or does not allow it.
   *
   * @param i which of the last {@link #poll}
   * @return false for success, and for every other failure
   */
  default boolean isRefused(int i) {
    return false;
  }

  /**
   * What became of it.
   *
   * @param i which of the last {@link #poll}
   * @return in words
   */
  String status(int i);
}
