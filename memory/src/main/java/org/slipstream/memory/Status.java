package org.slipstream.memory;

/** What has become of an operation, or of a region. */
public enum Status {
  /** Done: what was read is in the caller's memory, what was written is in the region. */
  OK,

  /**
   * The owner ended, or its memory was taken away. Whether the operation was carried out is
   * unknown, so what is not idempotent must not be repeated. The region is of no use any more.
   */
  LOST,

  /** The grant has no such right; nothing was done. */
  DENIED,

  /** The region ends before; nothing was done. */
  OUT_OF_RANGE,

  /**
   * The mapping was ended on purpose: the owner revoked the grant or closed the region, or this
   * process closed its {@link RemoteRegion}. What was posted at that moment may have been carried
   * out in part.
   */
  REVOKED
}
