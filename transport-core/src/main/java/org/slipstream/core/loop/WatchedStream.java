package org.slipstream.core.loop;

import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.stream.Readiness;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamObserver;
import org.slipstream.transport.OutOfLine;

/**
 * One stream of an event loop: what its ring and its TCP connection say together.
 *
 * <p>All but the operations of the superclass for any thread belong to the loop's thread.
 *
 * @param <A> see {@link WatchedChannel#owner}
 */
public final class WatchedStream<A> extends WatchedChannel<A> {
  private final Stream stream;
  private final Readiness readiness;

  /**
   * Whether the stream waits in the loop's queue because it changed by itself. Any thread. One that
   * is about to add it for its interest will not wake the loop, so it may be there twice.
   */
  private final AtomicBoolean changed = new AtomicBoolean();

  /** Set once, by the thread that registers; removed by the one that removes the stream. */
  private @Nullable StreamObserver observer;

  /**
   * The TCP connection was reported readable while the ring had something: a doorbell is probably
   * unread.
   */
  private boolean doorbellReported;

  /** Where the stream's doorbells should go; null: to its TCP connection. Of LoopDoorbell. */
  @Nullable PipeAddress pipe;

  /** The number that the last doorbell in the pipe has named; 0 = none. Of LoopDoorbell. */
  int rungFor;

  // The rest is of PolledStreams.

  /** The stream is polled, and so in the list. */
  boolean polled;

  /** The stream is armed and waits for space, and so in the list of those. */
  boolean starved;

  /** Polls in a row that found nothing; negative if the stream was looked at in this round. */
  int misses;

  /**
   * Makes a stream that is in no loop yet.
   *
   * @param owner of the caller
   * @param stream the stream
   * @param interest what is waited for
   */
  public WatchedStream(A owner, Stream stream, int interest) {
    super(owner, interest);
    this.stream = stream;
    this.readiness = stream.readiness();
  }

  /** Changes of the stream are told to the observer until the stream leaves. */
  void observe(StreamObserver told) {
    observer = told;
    stream.addObserver(told);
  }

  /** Notes that the stream changed; true if the loop has to be told. Any thread. */
  boolean noteChange() {
    return changed.compareAndSet(false, true);
  }

  @Override
  void dequeued() {
    changed.set(false);
    super.dequeued();
  }

  @Override
  void leave() {
    super.leave();
    StreamObserver told = observer;
    if (told != null) {
      stream.removeObserver(told);
    }
  }

  // -- what the kernel should be asked ---------------------------------------------------------

  @Override
  int wantedOfKernel() {
    int ops = interest();
    if (readiness.isLinked()) {
      if (readiness.isTcpSilent()) {
        ops &= ~SelectionKey.OP_READ; // the end was heard; level-triggered epoll would repeat it
      }
      if (readiness.isOutboundRing()) {
        ops &= ~SelectionKey.OP_WRITE;
      }
    }
    return ops;
  }

  // -- polling ---------------------------------------------------------------------------------

  /**
   * The operations that would make progress now; takes doorbells and the switch marker off a
   * readable TCP connection.
   *
   * @param kernelReady what the kernel has reported for the TCP connection
   * @return operation bits, some of {@link #interest}
   */
  @OutOfLine
  @Override
  int ready(int kernelReady) {
    int interest = interest();
    if (!readiness.isLinked()) {
      return kernelReady & interest;
    }
    int ops = kernelReady & ~(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    if ((interest & SelectionKey.OP_READ) != 0) {
      boolean connectionReadable = (kernelReady & SelectionKey.OP_READ) != 0;
      if (readiness.readable()) {
        ops |= SelectionKey.OP_READ;
        doorbellReported |= connectionReadable; // drained just before the next arming
        if (!connectionReadable && (kernelReady & RUNG) == 0) {
          readiness.foundByLooking();
        }
      } else if (connectionReadable) {
        doorbellReported = false;
        if (readiness.absorb()) {
          ops |= SelectionKey.OP_READ;
        }
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0
        && (readiness.isOutboundRing()
            ? readiness.writable()
            : (kernelReady & SelectionKey.OP_WRITE) != 0)) {
      ops |= SelectionKey.OP_WRITE;
    }
    return ops & interest;
  }

  /** Whether the peer might ring in a pipe of the loop. */
  boolean mayUsePipe() {
    return (interest() & SelectionKey.OP_READ) != 0 && readiness.mayUsePipe();
  }

  @Override
  boolean isLinked() {
    return readiness.isLinked();
  }

  /** A poll without side effects. */
  boolean looksReady() {
    int interest = interest();
    return ((interest & SelectionKey.OP_READ) != 0 && readiness.readable())
        || ((interest & SelectionKey.OP_WRITE) != 0 && readiness.writable());
  }

  /** Whether data could come on the ring. */
  boolean waitsOnRing() {
    return (interest() & SelectionKey.OP_READ) != 0 && readiness.isInboundRing();
  }

  // -- arming ----------------------------------------------------------------------------------

  /**
   * Arms and polls once more.
   *
   * @return how long the loop may sleep, in nanoseconds; 0 if something came; {@link
   *     Long#MAX_VALUE} if the doorbell tells everything
   */
  @OutOfLine
  long arm() {
    if (isGone() || !readiness.isLinked()) {
      return Long.MAX_VALUE;
    }
    int interest = interest();
    if ((interest & SelectionKey.OP_READ) != 0) {
      if (doorbellReported) {
        doorbellReported = false;
        if (readiness.absorb()) {
          return 0;
        }
      }
      if (!readiness.armForRead(readiness.mayUsePipe() ? pipe : null, rungFor)) {
        return 0;
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0 && readiness.isOutboundRing()) {
      return readiness.armForSpace();
    }
    return Long.MAX_VALUE;
  }
}
