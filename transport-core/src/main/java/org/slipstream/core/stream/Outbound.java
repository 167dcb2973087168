package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Flow;
import org.slipstream.core.api.Reason;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * The sending direction of a stream: the one loop of a write (decide, move, wait). Where the next
 * byte goes is {@link OutboundSwitch}'s.
 *
 * <p>Guarded by the write lock, except where a member says otherwise.
 */
final class Outbound {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  final StreamLock lock = new StreamLock();

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  /** Whether bytes go to TCP or into the ring. */
  final OutboundSwitch switching;

  private final StreamContext stream;
  private final Inbound in;
  private final SocketChannel tcp;
  private final ConnectionError error;
  private final Spinner spinner;
  private final CreditWait credit;

  /** The one buffer of a write that does not gather; emptied behind it. */
  private final ByteBuffer[] one = {NOTHING};

  private boolean wroteToClosedPeer;

  /** How long the first write waits for the ring: only in tests, else 0. */
  private long firstWriteGrace;

  Outbound(StreamContext stream, Inbound in) {
    this.stream = stream;
    this.in = in;
    this.tcp = stream.tcp;
    this.error = stream.error;
    this.spinner = stream.spinner();
    this.credit = new CreditWait(stream, spinner, counters);
    this.switching = new OutboundSwitch(stream, in, credit, counters);
    this.firstWriteGrace = stream.firstWriteGraceNanos;
  }

  // -- writing ---------------------------------------------------------------------------------

  /**
   * Writes.
   *
   * @param src the bytes
   * @param blocking whether to wait until all are written
   * @return bytes written
   */
  int write(ByteBuffer src, boolean blocking) throws IOException {
    one[0] = src;
    try {
      return (int) write(one, 0, 1, blocking);
    } finally {
      one[0] = NOTHING;
    }
  }

  /** Gathers; as {@link #write(ByteBuffer, boolean)}. */
  long write(ByteBuffer[] srcs, int from, int to, boolean blocking) throws IOException {
    long before = Buffers.remaining(srcs, from, to);
    try {
      return writePieces(srcs, from, to, blocking);
    } catch (IOException e) {
      return written(before - Buffers.remaining(srcs, from, to), e);
    } finally {
      giveBack();
    }
  }

  /**
   * A write has ended before its end. What was written is counted, as in the JDK, and the next
   * operation says what has happened; but an interrupt is answered at once.
   */
  private long written(long bytes, IOException e) throws IOException {
    boolean closed =
        e instanceof ClosedChannelException && !(e instanceof ClosedByInterruptException);
    if (bytes > 0 && (closed || error.latch(e))) {
      return bytes;
    }
    throw e;
  }

  /** The program gets its buffers back. */
  private void giveBack() throws IOException {
    StreamLink link = stream.link();
    if (link != null) {
      link.producer().giveBack();
    }
  }

  @OutOfLine
  private long writePieces(ByteBuffer[] srcs, int first, int to, boolean blocking)
      throws IOException {
    int from = first;
    long total = 0;
    for (; ; ) {
      if (!switching.ready(blocking)) {
        return total;
      }
      checkConnection();
      while (from < to - 1 && !srcs[from].hasRemaining()) {
        from++;
      }
      boolean switched = switching.isSwitched();
      if (!switched && blocking && stream.scope.mustNotBlock()) {
        return total > 0 ? total : InterruptScope.MUST_NOT_BLOCK;
      }
      if (!switched && firstWriteGrace > 0) {
        awaitFirstEpoch(blocking);
        continue;
      }
      if (!switched) {
        long n = writeToTcp(srcs, from, to, blocking);
        total += n;
        if (!blocking || stream.link() == null || !Buffers.haveRemaining(srcs, from, to)) {
          return total;
        }
        continue;
      }
      StreamLink link = checkPeer();
      if (link == null) {
        return total + Buffers.swallow(srcs, from, to);
      }
      long n = link.producer().write(srcs, from, to, switching.control);
      counters.countRing(n);
      total += n;
      if (!Buffers.haveRemaining(srcs, from, to)) {
        credit.came();
        return total;
      }
      if (blocking && stream.scope.mustNotBlock()) {
        return total > 0 ? total : InterruptScope.MUST_NOT_BLOCK;
      }
      if (!awaitSpace(link, blocking, n > 0)) {
        return total;
      }
    }
  }

  @OutOfLine
  private long writeToTcp(ByteBuffer[] srcs, int from, int to, boolean blocking)
      throws IOException {
    if (blocking) {
      takeDoorbells();
    }
    MemoryFaults.settle();
    RawWriteProbe probe = stream.rawWriteProbe;
    boolean probes = probe != null && probe.before(tcp, Buffers.remaining(srcs, from, to));
    try {
      long n = to - from == 1 ? tcp.write(srcs[from]) : tcp.write(srcs, from, to - from);
      switching.sentRaw(n);
      return n;
    } finally {
      if (probe != null && probes) {
        probe.after(switching.rawBytes());
      }
    }
  }

  /**
   * Before a write that may block in the kernel. A thread that interrupts it, or an end of the
   * process, closes the connection there before the stream hears of it: a doorbell that is not
   * taken would make that a reset, and a reset drops the raw bytes that are under way.
   */
  @OutOfLine
  void takeDoorbells() throws IOException {
    if (stream.link() != null && !stream.scope.isInterrupted()) {
      in.takeDoorbells(true);
      checkConnection(); // an error was perhaps taken off the kernel just now
    }
  }

  /** A broken connection is reported by the program's writes, one way or the other. */
  void checkConnection() throws IOException {
    if (error.isMet()) {
      throw error.forWriter();
    }
  }

  /** Whether the next write reports that the peer is gone. */
  boolean isBroken() {
    StreamLink link = stream.link();
    return error.isMet() || (switching.isSwitched() && link != null && link.hasPeerClosed());
  }

  /** Null if the peer has closed: as TCP, the first write after that still seems to succeed. */
  @Nullable StreamLink checkPeer() throws IOException {
    StreamLink link = Objects.requireNonNull(stream.link());
    if (!link.hasPeerClosed()) {
      return link;
    }
    boolean reset = (link.consumer().peerFlags() & ControlLayout.FLAG_RESET) != 0;
    if (reset && !link.consumer().peekFin()) {
      switching.control
          .signal(); // the kernel knows whether the peer had ended its direction before
      if (!error.isMet()) {
        error.peerReset();
      }
      throw error.forWriter();
    }
    // Bytes that came after the peer had closed are answered by a reset in the kernel, too.
    if (reset || wroteToClosedPeer || !link.producer().credit().isDrained()) {
      throw new IOException("Broken pipe");
    }
    wroteToClosedPeer = true;
    return null;
  }

  private void awaitFirstEpoch(boolean blocking) throws IOException {
    long grace = firstWriteGrace;
    firstWriteGrace = 0;
    FirstWrite.await(stream, () -> switching.mayEnter(blocking), grace);
  }

  /** Why the stream is plain at this moment, although it is joined to its peer. */
  Reason reasonNow(Reason standing) {
    StreamLink link = stream.link();
    if (standing != Reason.NONE || link == null || (isRing() && in.isRing() && !link.isDead())) {
      return standing;
    }
    if (link.isRevokedOrAsked()) {
      return Reason.REVOKED;
    }
    return link.isDead()
        ? stream.slot.lossNow()
        : switching.hasOverflowed() ? Reason.RING_FULL : Reason.SWITCHING;
  }

  // -- credit ----------------------------------------------------------------------------------

  /** The ring took all that there was. */
  void tookAll() {
    credit.came();
  }

  /**
   * Waits for space in the ring, or leaves it.
   *
   * @param progress whether bytes went into the ring just now
   * @return false if a non-blocking write has to give up
   */
  @OutOfLine
  boolean awaitSpace(StreamLink link, boolean blocking, boolean progress) throws IOException {
    CreditWait.Next next = credit.await(link, blocking, progress);
    if (next == CreditWait.Next.OVERFLOW) {
      switching.overflow(link);
    }
    return next != CreditWait.Next.GIVE_UP;
  }

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    credit.wake();
  }

  // -- for selectors and the closer ------------------------------------------------------------

  boolean isRing() {
    return switching.isRing();
  }

  /** Whether a write into the ring would take something; any thread, no lock. */
  boolean peekWritable() {
    StreamLink link = stream.link();
    return link != null
        && (stream.state.isOutputShutdown()
            || link.producer().credit().peekSpace()
            || link.hasPeerClosed()
            || link.mustLeaveRing());
  }

  /** Whether a write into the ring would take something; under the lock. */
  boolean writable() throws IOException {
    StreamLink link = stream.link();
    return !switching.isSwitched()
        || link == null
        || stream.state.isOutputShutdown()
        || link.producer().credit().space(1) > 0
        || link.hasPeerClosed()
        || link.mustLeaveRing();
  }

  /**
   * A selector waits for space; under the lock.
   *
   * @return nanoseconds until it should look again by itself; 0 if there is space now, or TCP
   *     counts
   */
  long armForSpace() throws IOException {
    StreamLink link = stream.link();
    if (link == null || !switching.completePending() || writable()) {
      return 0;
    }
    link.producer().credit().request();
    if (writable()) {
      return 0;
    }
    long grace = credit.arm(link);
    if (grace == 0) {
      switching.overflow(link);
      switching.completePending();
    }
    return grace;
  }

  /** The last position, then the kernel may send FIN; under the lock. */
  void finish(boolean closing, boolean reset) throws IOException {
    StreamLink link = stream.link();
    if (link == null) {
      return;
    }
    if (switching.isSwitched() && !reset) {
      link.producer().publishFin();
      if (!link.link().isLossless()) {
        link.link().flush(); // the kernel's FIN follows the placement of the last bytes
        if (link.mustLeaveRing() && switching.completePending()) {
          switching.leaveRing(link);
          switching.completePending();
        }
      }
    }
    // A reset of a registered channel becomes visible when its selector notices, as in the JDK:
    // then the kernel tells the peer.
    if (closing && (!reset || tcp.isBlocking() || !tcp.isRegistered())) {
      link.producer().publishTaken();
      link.producer()
          .publishFlags(ControlLayout.FLAG_CLOSED | (reset ? ControlLayout.FLAG_RESET : 0));
    }
  }

  /** A snapshot, racy. */
  Flow flow() {
    return counters.flow(isRing(), switching.rawBytes(), spinner, stream.link(), false);
  }
}
