package org.slipstream.rdma.verbs;

/** Memory that the peer's work requests may name, too. */
public interface RemoteMemory extends LocalMemory {

  /**
   * For the peer's work requests.
   *
   * @return rkey
   */
  int remoteKey();
}
