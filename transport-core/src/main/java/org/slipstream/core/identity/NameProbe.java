package org.slipstream.core.identity;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
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
 * returns, and is taken at once: until then {@code epoll} says that the socket has an error, and a
 * selector that watches it does not sleep.
 *
 * <p>The kernel makes a copy each time that the segment is given to a device: later where the first
 * device has a queue, several where a device stands for another one (VLAN, bonding), and another
 * one for each retransmission. So the queue is looked at again until the write is acknowledged:
 * what is acknowledged is not sent again.
 *
 * <p>All calls go to a descriptor of our own, which lives for the length of the write, and for a
 * moment at each look: the program's may be closed by another thread, and its number may be that of
 * another socket by then.
 */
final class NameProbe implements RawWriteProbe {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");

  /** A longer write leaves in several segments, some of them later. */
  private static final long LONGEST_WRITE = 16_384;

  /** A program whose writes are never alone keeps its stream on TCP. */
  private static final int MOST_TRIES = 64;

  /** Between looks for copies that come later; twice as long after each. */
  private static final long FIRST_LOOK_NS = 1_000_000;

  private static final long LONGEST_LOOK_NS = 1_000_000_000;

  private final Descriptors descriptors;
  private final Reactor reactor;
  private final long madeAt;
  private final Consumer<ConnectionName> told;

  /** Guarded by the write lock, as all that is not volatile. */
  private int tries;

  private boolean isTold;
  private int own = KernelSocket.NONE;
  private @Nullable SocketChannel program;

  /** More copies may come. Set by the writer, cleared by the reactor. */
  private volatile boolean unacknowledged;

  NameProbe(Descriptors descriptors, Reactor reactor, long madeAt, Consumer<ConnectionName> told) {
    this.descriptors = descriptors;
    this.reactor = reactor;
    this.madeAt = madeAt;
    this.told = told;
  }

  @Override
  public boolean before(SocketChannel tcp, long bytes) {
    if (isTold || unacknowledged || bytes == 0 || bytes > LONGEST_WRITE || tries >= MOST_TRIES) {
      return false;
    }
    tries++;
    SocketChannel kernel = WaitingConnection.kernelOf(tcp);
    program = kernel;
    try {
      own = KernelSocket.duplicate(descriptors.number(kernel));
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "A connection has no name", e);
      return false;
    }
    if (own == KernelSocket.NONE) {
      return false;
    }
    // Still open: so the number was that of its descriptor.
    if (kernel.isOpen() && KernelSocket.isQuiet(own) && KernelSocket.showSegments(own, true)) {
      return true;
    }
    KernelSocket.close(own);
    return false;
  }

  @Override
  public void after(long total) {
    int descriptor = own;
    KernelSocket.showSegments(descriptor, false);
    SegmentHead head = takeCopies(descriptor);
    KernelSocket.close(descriptor);
    SocketChannel of = Objects.requireNonNull(program);
    unacknowledged = true;
    reactor.execute(() -> lookLater(of, total, FIRST_LOOK_NS));
    if (head != null) {
      isTold = true;
      told.accept(ConnectionName.of(head, total, System.nanoTime() - madeAt));
    }
  }

  /**
   * Takes all copies out of the queue of errors; none is left behind at the last look.
   *
   * @return the first that is a segment; null if none is
   */
  private static @Nullable SegmentHead takeCopies(int descriptor) {
    SegmentHead head = null;
    ByteBuffer copy = KernelSocket.takeSegment(descriptor);
    while (copy != null) {
      if (head == null) {
        head = SegmentHead.ofFrame(copy);
      }
      copy = KernelSocket.takeSegment(descriptor);
    }
    return head;
  }

  private void lookLater(SocketChannel of, long total, long pauseNs) {
    reactor.schedule(pauseNs, () -> look(of, total, pauseNs));
  }

  /** Takes what has come since, and looks again unless nothing more can come. Reactor. */
  private void look(SocketChannel of, long total, long pauseNs) {
    if (!of.isOpen() || isOver(of, total)) {
      unacknowledged = false;
    } else {
      lookLater(of, total, Math.min(LONGEST_LOOK_NS, 2 * pauseNs));
    }
  }

  private boolean isOver(SocketChannel of, long total) {
    int descriptor;
    try {
      descriptor = KernelSocket.duplicate(descriptors.number(of));
    } catch (IOException e) {
      return true; // closed, and its queue with it
    }
    if (descriptor == KernelSocket.NONE) {
      return false; // the process has no descriptor left for now
    }
    boolean over = false;
    if (of.isOpen()) { // so the number was that of its descriptor
      over = KernelSocket.isAcknowledged(descriptor, total); // before the copies are taken
      takeCopies(descriptor);
    }
    KernelSocket.close(descriptor);
    return over;
  }
}
