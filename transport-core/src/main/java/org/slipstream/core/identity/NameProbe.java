package org.slipstream.core.identity;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.stream.RawWriteProbe;
import org.slipstream.core.stream.WaitingConnection;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;

/**
 * Learns the name of a connection from the kernel's copy of a segment that carries a write of the
 * program. The copy is asked for while nothing is under way, so that it is there when the write
 * returns, and is taken at once: until then {@code epoll} says that the socket has an error.
 *
 * <p>All calls go to a descriptor of our own, which lives for the length of the write: the
 * program's may be closed by another thread, and its number may be that of another socket by then.
 */
final class NameProbe implements RawWriteProbe {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");

  /** A longer write leaves in several segments, some of them later. */
  private static final long LONGEST_WRITE = 16_384;

  /** A program whose writes are never alone keeps its stream on TCP. */
  private static final int MOST_TRIES = 64;

  /** Between looks for a copy that was late. */
  private static final long FIRST_LOOK_NS = 1_000_000;

  private static final long LAST_LOOK_NS = 5_000_000;

  private final Descriptors descriptors;
  private final Reactor reactor;
  private final long madeAt;
  private final Consumer<ConnectionName> told;

  /** Guarded by the write lock, as all that is not volatile. */
  private int tries;

  private boolean isTold;
  private int own = KernelSocket.NONE;
  private @Nullable SocketChannel program;

  /** Set by the writer, cleared by the reactor. */
  private volatile boolean late;

  NameProbe(Descriptors descriptors, Reactor reactor, long madeAt, Consumer<ConnectionName> told) {
    this.descriptors = descriptors;
    this.reactor = reactor;
    this.madeAt = madeAt;
    this.told = told;
  }

  @Override
  public boolean before(SocketChannel tcp, long bytes) {
    if (isTold || late || bytes == 0 || bytes > LONGEST_WRITE || tries >= MOST_TRIES) {
      return false;
    }
    tries++;
    SocketChannel kernel = WaitingConnection.kernelOf(tcp);
    program = kernel;
    try {
      own = KernelSocket.duplicate(descriptors.number(kernel));
    } catch (IOException e) {
      LOG.get().log(Level.DEBUG, "A connection has no name", e);
      return false;
    }
    if (own == KernelSocket.NONE) {
      return false;
    }
    // Still open: so the number was that of its descriptor.
    if (kernel.isOpen() && KernelSocket.isQuiet(own) && KernelSocket.showSegments(own, true)) {
      return true;
    }
    release(own);
    return false;
  }

  @Override
  public void after(long total) {
    int descriptor = own;
    KernelSocket.showSegments(descriptor, false);
    ByteBuffer copy = KernelSocket.takeSegment(descriptor);
    if (copy == null) {
      late = true;
      SocketChannel of = program;
      reactor.execute(() -> takeLate(of, descriptor, FIRST_LOOK_NS));
      return;
    }
    release(descriptor);
    SegmentHead head = SegmentHead.ofFrame(copy);
    if (head != null) {
      isTold = true;
      told.accept(ConnectionName.of(head, total, System.nanoTime() - madeAt));
    }
  }

  private static void release(int descriptor) {
    KernelSocket.close(descriptor);
  }

  /**
   * The copy of a segment that has not left yet must not stay in the queue of errors, and our
   * descriptor must not keep open what the program closes.
   */
  private void takeLate(@Nullable SocketChannel of, int descriptor, long pauseNs) {
    boolean over = of == null || !of.isOpen() || KernelSocket.isQuiet(descriptor); // then it left
    if (KernelSocket.takeSegment(descriptor) != null || over) {
      release(descriptor);
      late = false;
      return;
    }
    long next = Math.min(LAST_LOOK_NS, 2 * pauseNs);
    reactor.schedule(pauseNs, () -> takeLate(of, descriptor, next));
  }
}
