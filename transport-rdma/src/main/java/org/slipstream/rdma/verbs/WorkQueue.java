package org.slipstream.rdma.verbs;

/**
 * The sending half of a queue pair: requests are executed in the order in which they are appended.
 * The device gets them by {@link #submit}, or sooner; until then their memory stays as it is.
 */
public interface WorkQueue {

  /**
   * What the device gave.
   *
   * @return at least what was wanted
   */
  Capacity capacity();

  /**
   * Writes local memory into the peer's.
   *
   * @param id comes back in the completion, if there is one
   * @param local where the bytes are
   * @param length how many
   * @param localKey of their region; ignored if inline
   * @param remote where they go
   * @param remoteKey of the region there
   * @param inline whether the request carries the bytes: they may be changed once it is submitted
   * @param signaled whether success is worth a completion; a failure always is
   * @return 0 or an errno value, of requests before it
   */
  int write(
      long id,
      long local,
      int length,
      int localKey,
      long remote,
      int remoteKey,
      boolean inline,
      boolean signaled);

  /**
   * Reads the peer's memory. It executes after all earlier writes, and its completion is always
   * signaled.
   *
   * @param id comes back in the completion
   * @param local where the bytes go
   * @param length how many
   * @param localKey of their region
   * @param remote where they are
   * @param remoteKey of the region there
   * @return 0 or an errno value, of requests before it
   */
  int read(long id, long local, int length, int localKey, long remote, int remoteKey);

  /**
   * Sends a message into one of the peer's posted receives.
   *
   * @param id comes back in the completion
   * @param local where the bytes are
   * @param length how many
   * @param localKey of their region
   * @param signaled whether success is worth a completion
   * @return 0 or an errno value, of requests before it
   */
  int send(long id, long local, int length, int localKey, boolean signaled);

  /**
   * Gives the device what was appended since the last call.
   *
   * @return 0 or an errno value; the requests are forgotten either way
   */
  int submit();
}
