package org.slipstream.core.stream;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;

/** How far a stream has come; only forward. Any thread. */
final class StreamState {
  private static final int OPEN = 0;
  private static final int CLOSING = 1;
  private static final int CLOSED = 2;
  private static final int RELEASED = 3;

  /**
   * Changed under the monitor of this, and read by each operation: a field and no {@code
   * AtomicInteger}, because in a crowd each object is a miss of the cache.
   */
  private volatile int phase = OPEN;

  private volatile boolean inputShutdown;
  private volatile boolean outputShutdown;

  /** Close begins; true for the caller that begins it. */
  boolean beginClose() {
    return advance(OPEN, CLOSING);
  }

  /** The TCP connection is closed. */
  synchronized void closed() {
    phase = CLOSED;
  }

  boolean isClosed() {
    return phase == CLOSED;
  }

  /** The link is still there: the stream is open, or only about to be closed. */
  boolean hasNotClosed() {
    return phase < CLOSED;
  }

  /** The link may go; true for the caller that gives it back. */
  boolean release() {
    return advance(CLOSED, RELEASED);
  }

  private synchronized boolean advance(int from, int to) {
    if (phase != from) {
      return false;
    }
    phase = to;
    return true;
  }

  boolean isOpen() {
    return phase == OPEN;
  }

  void shutdownInput() {
    inputShutdown = true;
  }

  void shutdownOutput() {
    outputShutdown = true;
  }

  boolean isInputShutdown() {
    return inputShutdown;
  }

  boolean isOutputShutdown() {
    return outputShutdown;
  }

  /** Before a read. */
  void checkInput() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /** Inside the loop of a read: the stream was closed after it began. */
  void checkStillOpen() throws AsynchronousCloseException {
    if (!isOpen()) {
      throw new AsynchronousCloseException();
    }
  }

  /** Before a write. */
  void checkOutput() throws ClosedChannelException {
    if (!isOpen() || outputShutdown) {
      throw new ClosedChannelException();
    }
  }

  /** After a writer has slept. */
  void checkOutputWhileBlocked() throws AsynchronousCloseException {
    if (!isOpen() || outputShutdown) {
      throw new AsynchronousCloseException();
    }
  }
}
