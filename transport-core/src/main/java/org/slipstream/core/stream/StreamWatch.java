package org.slipstream.core.stream;

import java.nio.channels.SelectionKey;

/**
 * One stream in an event loop: what the loop waits for, and what it knows of the stream.
 *
 * <p>Operations are the bits of {@link SelectionKey}. Belongs to the loop's thread.
 *
 * @param <A> what the loop wants to find again when the stream is ready
 */
public final class StreamWatch<A> {
  private final Stream stream;
  private final Readiness readiness;
  private final A attachment;
  private int interest;

  /** The anchor was reported readable while the ring had something: a bell is probably unread. */
  private boolean bellReported;

  boolean hot;
  boolean starved;
  boolean gone;
  int idleLooks;

  /**
   * Watches a stream.
   *
   * @param stream the stream
   * @param attachment of the caller
   */
  public StreamWatch(Stream stream, A attachment) {
    this.stream = stream;
    this.readiness = stream.readiness();
    this.attachment = attachment;
  }

  /**
   * What the loop wants to find again.
   *
   * @return given at construction
   */
  public A attachment() {
    return attachment;
  }

  /**
   * The stream.
   *
   * @return given at construction
   */
  public Stream stream() {
    return stream;
  }

  /**
   * What is waited for.
   *
   * @return operation bits
   */
  public int interest() {
    return interest;
  }

  /**
   * Changes what is waited for; {@link HotStreams#add} and {@link #anchorInterest} should follow.
   *
   * @param ops operation bits
   */
  public void interest(int ops) {
    interest = ops;
  }

  /**
   * What the loop's kernel selector should listen for at the anchor.
   *
   * @return operation bits
   */
  public int anchorInterest() {
    int ops = interest;
    if (!stream.anchor().isConnected()) {
      ops &= SelectionKey.OP_CONNECT; // the kernel calls a socket that never connected readable
    } else if (readiness.isLinked()) {
      if (readiness.isAnchorSilent()) {
        ops &= ~SelectionKey.OP_READ; // the end was heard; level-triggered epoll would repeat it
      }
      if (readiness.isOutboundRing()) {
        ops &= ~SelectionKey.OP_WRITE;
      }
    }
    return ops;
  }

  /**
   * The operations that would make progress now; takes bells and MARK off a readable anchor.
   *
   * @param anchorReady what the kernel reported for the anchor
   * @return operation bits, some of {@link #interest}
   */
  public int ready(int anchorReady) {
    if (!readiness.isLinked()) {
      return anchorReady & interest;
    }
    int ops = anchorReady & ~(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    if ((interest & SelectionKey.OP_READ) != 0) {
      boolean anchorReadable = (anchorReady & SelectionKey.OP_READ) != 0;
      if (readiness.readable()) {
        ops |= SelectionKey.OP_READ;
        bellReported |= anchorReadable; // drained just before the next arming
        if (!anchorReadable) {
          readiness.foundByLooking();
        }
      } else if (anchorReadable) {
        bellReported = false;
        if (readiness.absorb()) {
          ops |= SelectionKey.OP_READ;
        }
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0
        && (readiness.isOutboundRing()
            ? readiness.writable()
            : (anchorReady & SelectionKey.OP_WRITE) != 0)) {
      ops |= SelectionKey.OP_WRITE;
    }
    return ops & interest;
  }

  boolean isLinked() {
    return readiness.isLinked();
  }

  /** A look without side effects. */
  boolean looksReady() {
    return ((interest & SelectionKey.OP_READ) != 0 && readiness.readable())
        || ((interest & SelectionKey.OP_WRITE) != 0 && readiness.writable());
  }

  /** Whether data could come on the ring. */
  boolean waitsOnRing() {
    return (interest & SelectionKey.OP_READ) != 0 && readiness.isInboundRing();
  }

  /**
   * Arms and looks once more.
   *
   * @return how long the loop may sleep, in nanoseconds; 0 if something came
   */
  long arm() {
    if (gone || !readiness.isLinked()) {
      return Long.MAX_VALUE;
    }
    if ((interest & SelectionKey.OP_READ) != 0) {
      if (bellReported) {
        bellReported = false;
        if (readiness.absorb()) {
          return 0;
        }
      }
      if (!readiness.armForRead()) {
        return 0;
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0 && readiness.isOutboundRing()) {
      return readiness.armForSpace();
    }
    return Long.MAX_VALUE;
  }
}
