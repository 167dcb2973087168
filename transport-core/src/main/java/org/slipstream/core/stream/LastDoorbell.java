package org.slipstream.core.stream;

/** Which doorbell has last woken the reader of a stream. */
public enum LastDoorbell {
  /** A byte on the TCP connection; or none yet. */
  TCP,
  /** A record in the pipe of its event loop. */
  PIPE,
  /** The futex of its window. */
  FUTEX
}
