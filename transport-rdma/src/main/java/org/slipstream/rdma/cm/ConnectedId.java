package org.slipstream.rdma.cm;

/** An identifier of rdma_cm with a queue pair, which its peer can be told of. */
public interface ConnectedId extends BoundId {

  /**
   * The port of the device.
   *
   * @return from 1; 0 if it is bound to none
   */
  int port();

  /** Says goodbye to the peer. A failure means that it is gone. */
  void disconnect();

  /** Destroys the queue pair, but not the identifier. Idempotent. */
  void destroyQueuePair();
}
