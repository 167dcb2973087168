package org.slipstream.core.stream;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Brackets a wait that an interrupt or a close must end; an adapter supplies it because the JDK
 * ties it to the channel class. Does not nest with the TCP connection's own bracket.
 */
public interface InterruptScope {
  /** What a blocking operation returns that did nothing, because of {@link #mustNotBlock}. */
  int MUST_NOT_BLOCK = -2;

  /** The calling thread is about to wait; an interrupt from now on closes the channel. */
  void begin();

  /**
   * The wait is over.
   *
   * @param completed whether what was waited for came
   * @throws IOException the channel was closed, or the thread interrupted, meanwhile
   */
  void end(boolean completed) throws IOException;

  /**
   * Whether the calling thread was interrupted, and that has to end its wait.
   *
   * @return false where an interrupt means nothing
   */
  default boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /**
   * Sleeps until another thread unparks the caller, or for so long, or not at all; inside {@link
   * #begin} and {@link #end}.
   *
   * @param blocker for thread dumps
   * @param nanos how long at most
   * @throws IOException the wait was ended by a close
   */
  default void park(Object blocker, long nanos) throws IOException {
    LockSupport.parkNanos(blocker, nanos);
  }

  /**
   * Whether the calling thread holds a lock under which it must not sleep. Then the blocking
   * operation returns {@link #MUST_NOT_BLOCK} where it would have slept.
   *
   * @return usually false
   */
  boolean mustNotBlock();
}
