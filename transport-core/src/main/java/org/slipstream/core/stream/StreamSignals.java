package org.slipstream.core.stream;

/**
 * What the parts of a stream tell the stream: the only way upwards. Any thread that holds a lock of
 * the stream; must not block.
 */
interface StreamSignals {

  /** Observers should look at the stream again. */
  void changed();

  /** As {@link #changed}, by a thread that looks at the stream itself: tells only the others. */
  void tellOthers();

  /**
   * Whether one event loop waits for the stream, and no other: what wakes it alone wakes all.
   *
   * @return false if the doorbell has to be one that all of them hear
   */
  boolean isWatchedByOne();

  /** A program's read or write has moved bytes over TCP. */
  void countRaw();

  /**
   * A reader or writer has slept.
   *
   * @param reading whether it was the reader
   * @param nanos how long it waited
   */
  void waited(boolean reading, long nanos);
}
