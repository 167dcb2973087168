package org.slipstream.core.stream;

import java.nio.channels.AsynchronousCloseException;

/**
 * Brackets a wait that an interrupt or a close must end; a face supplies it because the JDK ties it
 * to the channel class. Does not nest with the anchor's own bracket.
 */
public interface InterruptScope {

  /** The calling thread is about to wait; an interrupt from now on closes the channel. */
  void begin();

  /**
   * The wait is over.
   *
   * @param completed whether what was waited for came
   * @throws AsynchronousCloseException the channel was closed, or the thread interrupted, meanwhile
   */
  void end(boolean completed) throws AsynchronousCloseException;

  /**
   * Whether the calling thread holds a lock under which it must not sleep. Then the blocking
   * operation returns {@link Stream#MUST_NOT_BLOCK} where it would have slept.
   *
   * @return usually false
   */
  boolean mustNotBlock();
}
