package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;

/**
 * The sending direction of a stream: raw bytes on the anchor, then MARK, then the ring, and perhaps
 * back.
 *
 * <p>Guarded by the write lock, except where a field says otherwise. Control bytes that the kernel
 * has not taken wholly ({@link ControlByteWriter}) go before everything else.
 *
 * <p>A ring that stays full while the peer does not read spills over into the anchor: the kernel's
 * buffers are larger than any ring, and programs exist that rely on them (both ends write first,
 * then both read). The direction comes back to the ring once the peer has caught up.
 */
final class Outbound {

  final StreamLock lock = new StreamLock();

  private final Stream stream;
  private final SocketChannel anchor;
  private final ConnectionError error;
  private final Spinner spinner;
  final CreditWait credit;
  final ControlByteWriter control;

  /** Written under the lock; read by selectors. */
  private volatile boolean ring;

  /** Raw bytes ever given to the anchor (without MARK and control octets). */
  private long rawOut;

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  private boolean spilled;
  private boolean wroteToClosedPeer;

  /** How long the first write waits for the ring: only in tests, else 0. */
  private long firstWritePatience;

  Outbound(Stream stream, SocketChannel anchor, ConnectionError error) {
    this.stream = stream;
    this.anchor = anchor;
    this.error = error;
    this.spinner = new Spinner(stream.host.loadSensor(), stream.host.maxSpinNanos());
    this.control = new ControlByteWriter(error);
    this.credit = new CreditWait(stream, this, spinner);
    this.firstWritePatience = stream.host.firstWritePatienceNanos();
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
    int before = src.remaining();
    try {
      return writePieces(src, blocking);
    } catch (IOException e) {
      return (int) written(before - src.remaining(), e);
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

  private int writePieces(ByteBuffer src, boolean blocking) throws IOException {
    int total = 0;
    for (; ; ) {
      if (!ready(blocking)) {
        return total;
      }
      checkConnection();
      if (!ring) {
        if (blocking && stream.scope().mustNotBlock()) {
          return total > 0 ? total : Stream.MUST_NOT_BLOCK;
        }
        if (firstWritePatience > 0) {
          awaitTurn(blocking);
          continue;
        }
        if (blocking) {
          takeBells();
        }
        MemoryFaults.settle();
        int n = anchor.write(src);
        rawOut += n;
        counters.raw(stream, n);
        if (!blocking || !src.hasRemaining() || stream.link() == null) {
          return total + n;
        }
        total += n;
        continue;
      }
      StreamLink link = checkPeer();
      if (link == null) {
        return total + Buffers.swallow(src);
      }
      int n = link.producer().write(src, control);
      counters.ring(n);
      total += n;
      if (!src.hasRemaining()) {
        credit.came();
        return total;
      }
      if (blocking && stream.scope().mustNotBlock()) {
        return total > 0 ? total : Stream.MUST_NOT_BLOCK;
      }
      if (!credit.await(link.producer(), blocking, n > 0)) {
        return total;
      }
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

  private long writePieces(ByteBuffer[] srcs, int first, int to, boolean blocking)
      throws IOException {
    int from = first;
    long total = 0;
    for (; ; ) {
      if (!ready(blocking)) {
        return total;
      }
      checkConnection();
      while (from < to && !srcs[from].hasRemaining()) {
        from++;
      }
      if (!ring) {
        if (blocking && stream.scope().mustNotBlock()) {
          return total > 0 ? total : Stream.MUST_NOT_BLOCK;
        }
        if (firstWritePatience > 0) {
          awaitTurn(blocking);
          continue;
        }
        if (blocking) {
          takeBells();
        }
        MemoryFaults.settle();
        long n = anchor.write(srcs, from, to - from);
        rawOut += n;
        counters.raw(stream, n);
        if (!blocking || stream.link() == null || !Buffers.haveRemaining(srcs, from, to)) {
          return total + n;
        }
        total += n;
        continue;
      }
      StreamLink link = checkPeer();
      if (link == null) {
        for (int i = from; i < to; i++) {
          total += Buffers.swallow(srcs[i]);
        }
        return total;
      }
      long n = link.producer().write(srcs, from, to, control);
      counters.ring(n);
      total += n;
      if (!Buffers.haveRemaining(srcs, from, to)) {
        credit.came();
        return total;
      }
      if (blocking && stream.scope().mustNotBlock()) {
        return total > 0 ? total : Stream.MUST_NOT_BLOCK;
      }
      if (!credit.await(link.producer(), blocking, n > 0)) {
        return total;
      }
    }
  }

  /**
   * Before a write that may block in the kernel. Whoever interrupts it closes the anchor there, and
   * who kills the process too, before the stream hears of it: a bell that nobody has read would
   * make that a reset, and a reset drops the raw bytes that are under way.
   */
  void takeBells() throws IOException {
    if (stream.link() != null && !stream.scope().isInterrupted()) {
      stream.in().takeBells(true);
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
    return error.isMet() || (ring && link != null && hasPeerClosed(link));
  }

  /** Raw bytes went out that no buffer held. */
  void sentRaw(long n) {
    rawOut += n;
    counters.raw(stream, n);
  }

  /** Before each piece: state, unfinished control octets, a switch that is due. */
  boolean ready(boolean blocking) throws IOException {
    stream.state().checkOutput();
    if (error.isMet()) {
      return true; // nothing goes out any more: the writer reports it
    }
    if (!control.isIdle() && !control.flush()) {
      return false;
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    if (ring) {
      if (mustGoHome(link)) {
        leaveRing(link);
        return control.flush();
      }
      return true;
    }
    if (maySwitch(link, blocking)) {
      beginSwitch(link);
      return control.flush();
    }
    return true;
  }

  /** Whether the ring must not be used any more, although the peer is still there. */
  static boolean mustGoHome(StreamLink link) {
    return (link.mustStandDown() || link.hasFailed()) && !hasPeerClosed(link);
  }

  static boolean hasPeerClosed(StreamLink link) {
    return link.isPeerClosed()
        || (link.consumer().peerFlags() & (ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED))
            != 0;
  }

  /** Null if the peer has closed: as TCP, the first write after that still seems to succeed. */
  @Nullable StreamLink checkPeer() throws IOException {
    StreamLink link = Objects.requireNonNull(stream.link());
    if (hasPeerClosed(link)) {
      boolean reset = (link.consumer().peerFlags() & ControlLayout.FLAG_RESET) != 0;
      if (reset && !link.consumer().peekFin()) {
        control.ring(); // the kernel knows whether the peer had ended its direction before
        if (!error.isMet()) {
          error.peerReset();
        }
        throw error.forWriter();
      }
      // Bytes that came after the peer had closed are answered by a reset in the kernel, too.
      if (reset || wroteToClosedPeer || !link.producer().drained()) {
        throw new IOException("Broken pipe");
      }
      wroteToClosedPeer = true;
      return null;
    }
    return link;
  }

  // -- switching -------------------------------------------------------------------------------

  private boolean maySwitch(StreamLink link, boolean blocking) throws IOException {
    if (link.hasFailed()
        || link.mustStandDown()
        || hasPeerClosed(link)
        || stream.state().isOutputShutdown()) {
      return false;
    }
    if (link.isPeerProven()) {
      return !spilled
          || (link.producer().isTurnOver() && link.producer().drained() && credit.mayReturn());
    }
    Inbound in = stream.in();
    if (in.lock.tryLock()) {
      try {
        in.takeMark(blocking);
      } finally {
        in.lock.unlock();
      }
    }
    return link.isPeerProven();
  }

  private void awaitTurn(boolean blocking) throws IOException {
    long patience = firstWritePatience;
    firstWritePatience = 0;
    FirstWrite.await(stream, () -> maySwitchNow(blocking), patience);
  }

  private boolean maySwitchNow(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    return link != null && maySwitch(link, blocking);
  }

  private void beginSwitch(StreamLink link) throws IOException {
    MemoryFaults.settle();
    stream.noDelay().force();
    link.producer().beginTurn(rawOut);
    if (link.hasFailed()) {
      return; // the peer may never see the count, and would take MARK for data
    }
    control.begin(link, link.mark());
    spilled = false;
    credit.came();
    ring = true;
    stream.changed();
  }

  /**
   * The direction goes back to the anchor. If the link may have lost bytes, all that the peer gave
   * no credit for goes out once more; the peer drops what it has.
   */
  void leaveRing(StreamLink link) throws IOException {
    RingProducer producer = link.producer();
    link.link().place(); // two media: BACK must not overtake the bytes before it
    if (link.hasFailed() && !link.link().isLossless()) {
      ByteBuffer again = producer.unacknowledged();
      rawOut += again.remaining();
      control.begin(link, ControlOctets.fail(producer.credit(), again));
    } else {
      control.begin(link, ControlOctets.back(producer.position()));
    }
    if (link.hasFailed()) {
      link.markDead();
      link.control().linkFailed(link);
    }
    ring = false;
    spilled = !link.isDead(); // to another link it may switch at once
    stream.changed();
  }

  /**
   * Switches, or goes home, if that is due, allowed, and the program does not write by itself; any
   * thread that holds the lock.
   *
   * @return false if the kernel has not taken all control bytes
   */
  boolean settle(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    boolean begun = !control.isIdle();
    if (link == null || (!begun && !ControlByteWriter.isAllowedUnasked(link, stream.in()))) {
      return true;
    }
    boolean before = ring;
    try {
      ready(blocking);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (ClosedChannelException e) {
      return true; // a close meanwhile takes nothing back of what was written before
    }
    if (!control.isIdle()) {
      return false;
    }
    if (begun || ring != before) {
      link.control().askToLook(link);
    }
    return true;
  }

  /** Whether the direction is on the anchor, with no control byte under way. */
  boolean isHome() {
    return !ring && control.isIdle();
  }

  /** The control bytes that the kernel has not taken, for the one who keeps the anchor; or null. */
  @Nullable ByteBuffer takePending() {
    return control.takeUnsent();
  }

  /** Whether no control byte waits to be taken by the kernel; tries once more. */
  boolean completePending() throws IOException {
    return control.flush();
  }

  /** Whether the direction is in the ring, or on its way there. */
  boolean hasSwitched() {
    return ring;
  }

  /** Why the stream is plain at this moment, although it is joined to its peer. */
  Reason reasonNow(Reason standing) {
    StreamLink link = stream.link();
    if (standing != Reason.NONE
        || link == null
        || (isRing() && stream.in().isRing() && !link.isDead())) {
      return standing;
    }
    if (link.mustStandDown() || link.hasAskedToStandDown()) {
      return Reason.STOOD_DOWN;
    }
    return link.isDead() ? Reason.LINK_LOST : spilled ? Reason.SPILLED : Reason.SWITCHING;
  }

  // -- credit ----------------------------------------------------------------------------------

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    credit.wake();
  }

  // -- for selectors and the closer ------------------------------------------------------------

  boolean isRing() {
    return ring && control.isIdle();
  }

  /** Whether a write into the ring would take something; any thread, no lock. */
  boolean peekWritable() {
    StreamLink link = stream.link();
    return link != null
        && (stream.state().isOutputShutdown()
            || link.producer().peekSpace()
            || hasPeerClosed(link)
            || mustGoHome(link));
  }

  /** Whether a write into the ring would take something; under the lock. */
  boolean writable() throws IOException {
    StreamLink link = stream.link();
    return !ring
        || link == null
        || stream.state().isOutputShutdown()
        || link.producer().space(1) > 0
        || hasPeerClosed(link)
        || mustGoHome(link);
  }

  /**
   * A selector waits for space; under the lock.
   *
   * @return nanoseconds until it should look again by itself; 0 if there is space now
   */
  long armForSpace() throws IOException {
    StreamLink link = stream.link();
    if (link == null || writable()) {
      return 0;
    }
    link.producer().wantCredit();
    if (writable()) {
      return 0;
    }
    long patience = credit.arm(link.producer());
    if (patience == 0) {
      control.flush();
    }
    return patience;
  }

  /** The last position, then the kernel may send FIN; under the lock. */
  void finish(boolean closing, boolean reset) throws IOException {
    StreamLink link = stream.link();
    if (link == null) {
      return;
    }
    if (ring && !reset) {
      link.producer().publishFin();
      if (!link.link().isLossless()) {
        link.link().place(); // the kernel's FIN follows the placement of the last bytes
        if (mustGoHome(link)) {
          leaveRing(link);
          control.flush();
        }
      }
    }
    // A reset of a registered channel becomes visible when its selector notices, as in the JDK:
    // then the kernel tells the peer.
    if (closing && (!reset || anchor.isBlocking() || !anchor.isRegistered())) {
      link.producer().publishTaken();
      link.producer()
          .publishFlags(ControlLayout.FLAG_CLOSED | (reset ? ControlLayout.FLAG_RESET : 0));
    }
  }

  /** A snapshot, racy. */
  Flow flow() {
    return counters.flow(isRing(), rawOut, spinner, stream.link(), false);
  }
}
