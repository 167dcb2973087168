package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.upgrade.SendSwitch;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * The switches of a sending direction between TCP and ring, which {@link SendSwitch} decides: what
 * has to be true before each, and the marker, BACK or FAIL that goes out for it.
 *
 * <p>A ring that stays full while the peer does not read makes its direction fall back to TCP: the
 * kernel's buffers are larger than any ring, and programs exist that rely on them (both ends write
 * first, then both read). The direction comes back to the ring once the peer has caught up.
 *
 * <p>Guarded by the write lock, except where a member says otherwise. Control bytes that the kernel
 * has not taken wholly ({@link ControlByteWriter}) go before everything else.
 */
final class OutboundSwitch {
  final ControlByteWriter control;

  private final StreamContext stream;
  private final Inbound in;
  private final CreditWait credit;
  private final DirectionCounters counters;
  private final ConnectionError error;
  private final SendSwitch phase = new SendSwitch();

  /** Bytes ever given to TCP (without control bytes). */
  private long rawOut;

  OutboundSwitch(StreamContext stream, Inbound in, CreditWait credit, DirectionCounters counters) {
    this.stream = stream;
    this.in = in;
    this.credit = credit;
    this.counters = counters;
    this.error = stream.error;
    this.control = new ControlByteWriter(error);
  }

  /** Raw bytes went out. */
  void sentRaw(long n) {
    rawOut += n;
    counters.raw(stream.signals, n);
  }

  /** Bytes that went to TCP; racy for any thread that does not hold the lock. */
  long rawBytes() {
    return rawOut;
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

  /** Whether the direction may enter the ring now; may take the peer's marker off TCP for that. */
  boolean mayEnter(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    return link != null && maySwitch(link, blocking);
  }

  @OutOfLine
  private boolean maySwitch(StreamLink link, boolean blocking) throws IOException {
    if (!link.mayEnterRing() || stream.state.isOutputShutdown()) {
      return false;
    }
    if (link.isPeerProven()) {
      return !phase.hasOverflowed()
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

  @OutOfLine
  private void beginSwitch(StreamLink link) throws IOException {
    MemoryFaults.settle();
    stream.noDelay.force();
    control.prepare();
    ByteBuffer mark = link.mark(); // behind the next line there must be memory for everything
    phase.begin(); // before the last look at the link: see LinkJoin
    try {
      link.producer().epochs().begin(rawOut);
      if (!link.hasFailed()) { // else the peer may never see the count: MARK would be data
        control.begin(link, mark);
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
  @OutOfLine
  void leaveRing(StreamLink link) throws IOException {
    RingProducer producer = link.producer();
    link.link().flush(); // two media: BACK must not overtake the bytes before it
    if (link.hasFailed() && !link.link().isLossless()) {
      ByteBuffer again = producer.unacknowledged();
      int bytes = again.remaining();
      control.begin(link, ControlBytes.fail(producer.credit().acknowledged(), again));
      rawOut += bytes;
    } else {
      control.begin(link, ControlBytes.back(producer.credit().position()));
    }
    boolean failed = link.hasFailed();
    if (failed) {
      link.markDead();
    }
    phase.leave(!link.isDead()); // to another link it may switch at once
    if (failed) {
      link.control().linkFailed(link);
    }
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

  /** Whether the direction is in the ring, or on its way there; any thread. */
  boolean isSwitched() {
    return phase.isSwitched();
  }

  /** Whether bytes go into the ring now; any thread. */
  boolean isRing() {
    return phase.isRing();
  }

  /** Whether the direction left, or leaves, a ring that stayed full; any thread. */
  boolean hasOverflowed() {
    return phase.hasOverflowed();
  }

  /** The ring stayed full: the direction falls back to TCP. */
  void overflow(StreamLink link) throws IOException {
    credit.overflowed(link);
    leaveRing(link);
  }
}
