package org.slipstream.rdma.verbs;

/** Memory that our own work requests may name. */
public interface LocalMemory extends AutoCloseable {

  /**
   * For our own work requests.
   *
   * @return lkey
   */
  int localKey();

  /** Deregisters it. Idempotent; may sleep. */
  @Override
  void close();
}
