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
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.upgrade.SendSwitch;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;

/**
 * The sending direction of a stream: the one loop of a write (decide, move, wait), and the I/O of
 * each switch between TCP and ring, which {@link SendSwitch} decides.
 *
 * <p>Guarded by the write lock, except where a member says otherwise. Control bytes that the kernel
 * has not taken wholly ({@link ControlByteWriter}) go before everything else.
 *
 * <p>A ring that stays full while the peer does not read makes its direction fall back to TCP: the
 * kernel's buffers are larger than any ring, and programs exist that rely on them (both ends write
 * first, then both read). The direction comes back to the ring once the peer has caught up.
 */
final class Outbound {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  final StreamLock lock = new StreamLock();

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  final ControlByteWriter control;

  private final StreamContext stream;
  private final Inbound in;
  private final SocketChannel tcp;
  private final ConnectionError error;
  private final Spinner spinner;
  private final CreditWait credit;
  private final SendSwitch phase = new SendSwitch();

  /** The one buffer of a write that does not gather; emptied behind it. */
  private final ByteBuffer[] one = {NOTHING};

  /** Bytes ever given to TCP (without control bytes). */
  private long rawOut;

  private boolean wroteToClosedPeer;

  /** How long the first write waits for the ring: only in tests, else 0. */
  private long firstWriteGrace;

  Outbound(StreamContext stream, Inbound in) {
    this.stream = stream;
    this.in = in;
    this.tcp = stream.tcp;
    this.error = stream.error;
    this.spinner = stream.spinner();
    this.control = new ControlByteWriter(error);
    this.credit = new CreditWait(stream, spinner, counters);
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

  private long writePieces(ByteBuffer[] srcs, int first, int to, boolean blocking)
      throws IOException {
    int from = first;
    long total = 0;
    for (; ; ) {
      if (!ready(blocking)) {
        return total;
      }
      checkConnection();
      while (from < to - 1 && !srcs[from].hasRemaining()) {
        from++;
      }
      boolean switched = phase.isSwitched();
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
      long n = link.producer().write(srcs, from, to, control);
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
      sentRaw(n);
      return n;
    } finally {
      if (probe != null && probes) {
        probe.after(rawOut);
      }
    }
  }

  /**
   * Before a write that may block in the kernel. A thread that interrupts it, or an end of the
   * process, closes the connection there before the stream hears of it: a doorbell that is not
   * taken would make that a reset, and a reset drops the raw bytes that are under way.
   */
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
    return error.isMet() || (phase.isSwitched() && link != null && link.hasPeerClosed());
  }

  /** Raw bytes went out. */
  void sentRaw(long n) {
    rawOut += n;
    counters.raw(stream.signals, n);
  }

  /**
   * Before each piece: state, unfinished control bytes, a switch that is due.
   *
   * @return false if the kernel has not taken all control bytes
   */
  boolean ready(boolean blocking) throws IOException {
    stream.state.checkOutput();
    if (error.isMet()) {
      return true; // nothing goes out any more: the writer reports it
    }
    if (!completePending()) {
      return false;
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    boolean switched = phase.isSwitched();
    switch (phase.next(switched && link.mustLeaveRing(), !switched && maySwitch(link, blocking))) {
      case BEGIN -> beginSwitch(link);
      case LEAVE -> leaveRing(link);
      case WRITE_TCP, WRITE_RING, SEND_CONTROL -> {
        return true;
      }
    }
    return completePending();
  }

  /** Null if the peer has closed: as TCP, the first write after that still seems to succeed. */
  @Nullable StreamLink checkPeer() throws IOException {
    StreamLink link = Objects.requireNonNull(stream.link());
    if (!link.hasPeerClosed()) {
      return link;
    }
    boolean reset = (link.consumer().peerFlags() & ControlLayout.FLAG_RESET) != 0;
    if (reset && !link.consumer().peekFin()) {
      control.signal(); // the kernel knows whether the peer had ended its direction before
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

  // -- switching -------------------------------------------------------------------------------

  private boolean maySwitch(StreamLink link, boolean blocking) throws IOException {
    if (!link.mayEnterRing() || stream.state.isOutputShutdown()) {
      return false;
    }
    if (link.isPeerProven()) {
      return !phase.hasSpilled()
          || (link.producer().epochs().isOver()
              && link.producer().credit().isDrained()
              && credit.mayReturn());
    }
    if (in.lock.tryLock()) {
      try {
        in.takeMark(blocking);
      } finally {
        in.lock.unlock();
      }
    }
    return link.isPeerProven();
  }

  private void awaitFirstEpoch(boolean blocking) throws IOException {
    long grace = firstWriteGrace;
    firstWriteGrace = 0;
    FirstWrite.await(stream, () -> maySwitchNow(blocking), grace);
  }

  private boolean maySwitchNow(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    return link != null && maySwitch(link, blocking);
  }

  private void beginSwitch(StreamLink link) throws IOException {
    MemoryFaults.settle();
    stream.noDelay.force();
    phase.begin(); // before the last look at the link: see LinkJoin
    try {
      link.producer().epochs().begin(rawOut);
      if (!link.hasFailed()) { // else the peer may never see the count: MARK would be data
        control.begin(link, link.mark());
      }
    } finally {
      if (control.isIdle()) {
        phase.abandon();
      }
    }
    credit.came();
    stream.signals.changed();
  }

  /**
   * The direction falls back to TCP. If the link may have lost bytes, all that the peer gave no
   * credit for goes out once more; the peer drops what it has.
   */
  private void leaveRing(StreamLink link) throws IOException {
    RingProducer producer = link.producer();
    link.link().flush(); // two media: BACK must not overtake the bytes before it
    if (link.hasFailed() && !link.link().isLossless()) {
      ByteBuffer again = producer.unacknowledged();
      rawOut += again.remaining();
      control.begin(link, ControlBytes.fail(producer.credit().acknowledged(), again));
    } else {
      control.begin(link, ControlBytes.back(producer.credit().position()));
    }
    if (link.hasFailed()) {
      link.markDead();
      link.control().linkFailed(link);
    }
    phase.leave(!link.isDead()); // to another link it may switch at once
    stream.signals.changed();
  }

  /**
   * Switches, or falls back to TCP, if that is due, allowed, and the program does not write by
   * itself; any thread that holds the lock.
   *
   * @return false if the kernel has not taken all control bytes
   */
  boolean settle(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    boolean begun = !control.isIdle();
    if (link == null || (!begun && !ControlByteWriter.isAllowedUnasked(link, in))) {
      return true;
    }
    boolean before = phase.isSwitched();
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
    if (begun || phase.isSwitched() != before) {
      link.control().askToLook(link);
    }
    return true;
  }

  /** Whether the direction is on TCP, with no control byte under way; any thread. */
  boolean isOnTcp() {
    return phase.isTcp();
  }

  /** The control bytes that the kernel has not taken, for the owner of the TCP connection. */
  @Nullable ByteBuffer takePending() {
    return control.takeUnsent();
  }

  /** Whether no control byte waits to be taken by the kernel; tries once more. */
  boolean completePending() throws IOException {
    if (!control.isIdle() && !control.flush()) {
      return false;
    }
    phase.taken();
    return true;
  }

  /** Whether the direction is in the ring, or on its way there. */
  boolean hasSwitched() {
    return phase.isSwitched();
  }

  /** Why the stream is plain at this moment, although it is joined to its peer. */
  Reason reasonNow(Reason standing) {
    StreamLink link = stream.link();
    if (standing != Reason.NONE || link == null || (isRing() && in.isRing() && !link.isDead())) {
      return standing;
    }
    if (link.isStoodDown()) {
      return Reason.STOOD_DOWN;
    }
    return link.isDead()
        ? stream.slot.lossNow()
        : phase.hasSpilled() ? Reason.SPILLED : Reason.SWITCHING;
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
  boolean awaitSpace(StreamLink link, boolean blocking, boolean progress) throws IOException {
    CreditWait.Next next = credit.await(link, blocking, progress);
    if (next == CreditWait.Next.SPILL) {
      spill(link);
    }
    return next != CreditWait.Next.GIVE_UP;
  }

  private void spill(StreamLink link) throws IOException {
    credit.spilled(link);
    leaveRing(link);
  }

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    credit.wake();
  }

  // -- for selectors and the closer ------------------------------------------------------------

  boolean isRing() {
    return phase.isRing();
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
    return !phase.isSwitched()
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
    if (link == null || !completePending() || writable()) {
      return 0;
    }
    link.producer().credit().request();
    if (writable()) {
      return 0;
    }
    long grace = credit.arm(link);
    if (grace == 0) {
      spill(link);
      completePending();
    }
    return grace;
  }

  /** The last position, then the kernel may send FIN; under the lock. */
  void finish(boolean closing, boolean reset) throws IOException {
    StreamLink link = stream.link();
    if (link == null) {
      return;
    }
    if (phase.isSwitched() && !reset) {
      link.producer().publishFin();
      if (!link.link().isLossless()) {
        link.link().flush(); // the kernel's FIN follows the placement of the last bytes
        if (link.mustLeaveRing() && completePending()) {
          leaveRing(link);
          completePending();
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
    return counters.flow(isRing(), rawOut, spinner, stream.link(), false);
  }
}
