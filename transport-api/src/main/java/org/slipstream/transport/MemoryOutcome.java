package org.slipstream.transport;

/** What has become of an operation on memory of a peer. */
public enum MemoryOutcome {
  /** Done: what was read is in the caller's memory, what was written is in the peer's. */
  DONE,

  /** The peer or the way to it is gone; whether the operation was carried out is unknown. */
  LOST,

  /** The peer's device has refused it: the memory is not this process's to use any more. */
  REVOKED
}
