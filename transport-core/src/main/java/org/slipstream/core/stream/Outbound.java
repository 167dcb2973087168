package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.Bell;
import org.slipstream.core.ring.ControlLayout;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;

/**
 * The sending direction of a stream: raw bytes on the anchor, then MARK, then the ring, and perhaps
 * back.
 *
 * <p>Guarded by the write lock, except where a field says otherwise. {@link #pending} holds control
 * octets (MARK, BACK) that the kernel has not taken wholly; nothing else may go out before them.
 *
 * <p>A ring that stays full while the peer does not read spills over into the anchor: the kernel's
 * buffers are larger than any ring, and programs exist that rely on them (both ends write first,
 * then both read). The direction comes back to the ring once the peer has caught up.
 */
final class Outbound implements Bell {

  final StreamLock lock = new StreamLock();

  private final Stream stream;
  private final SocketChannel anchor;
  private final Spinner spinner;
  private final CreditWait credit;
  private final ByteBuffer bell = ByteBuffer.allocate(1).put(0, ControlOctets.BELL);

  /** Written under the lock; read by selectors. */
  private volatile boolean ring;

  private volatile @Nullable ByteBuffer pending;

  /** Raw bytes ever given to the anchor (without MARK and control octets). */
  private long rawOut;

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  private boolean spilled;
  private boolean wroteToClosedPeer;

  /** How long the first write waits for the ring: only in tests, else 0. */
  private long firstWritePatience;

  Outbound(Stream stream, SocketChannel anchor, Spinner spinner) {
    this.stream = stream;
    this.anchor = anchor;
    this.spinner = spinner;
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
    try {
      return writePieces(src, blocking);
    } finally {
      giveBack();
    }
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
      int n = link.producer().write(src, this);
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
    try {
      return writePieces(srcs, from, to, blocking);
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
      long n = link.producer().write(srcs, from, to, this);
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
  private void takeBells() throws IOException {
    if (stream.link() != null && !stream.scope().isInterrupted()) {
      stream.in().takeBells(true);
    }
  }

  /** Before each piece: state, unfinished control octets, a switch that is due. */
  private boolean ready(boolean blocking) throws IOException {
    stream.state().checkOutput();
    if (pending != null && !flushPending()) {
      return false;
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    if (ring) {
      if (mustGoHome(link)) {
        leaveRing(link);
        return flushPending();
      }
      return true;
    }
    if (maySwitch(link, blocking)) {
      beginSwitch(link);
      return flushPending();
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
  private @Nullable StreamLink checkPeer() throws IOException {
    StreamLink link = Objects.requireNonNull(stream.link());
    if (hasPeerClosed(link)) {
      boolean reset = (link.consumer().peerFlags() & ControlLayout.FLAG_RESET) != 0;
      if (reset || wroteToClosedPeer) {
        throw new IOException("Broken pipe");
      }
      wroteToClosedPeer = true;
      return null;
    }
    return link;
  }

  // -- switching -------------------------------------------------------------------------------

  private boolean maySwitch(StreamLink link, boolean blocking) throws IOException {
    if (link.hasFailed() || link.mustStandDown() || stream.state().isOutputShutdown()) {
      return false;
    }
    if (stream.isClient() || stream.in().isProven()) {
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
    return in.isProven();
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
    stream.noDelay().force();
    link.producer().beginTurn(rawOut);
    if (link.hasFailed()) {
      return; // the peer may never see the count, and would take MARK for data
    }
    pending = link.mark();
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
      pending = ControlOctets.fail(producer.credit(), again);
    } else {
      pending = ControlOctets.back(producer.position());
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
   * Returns true when the kernel has taken all of it. In blocking mode it waits, as any write does.
   */
  private boolean flushPending() throws IOException {
    ByteBuffer p = pending;
    while (p != null && p.hasRemaining()) {
      if (anchor.write(p) == 0) {
        return false;
      }
    }
    pending = null;
    return true;
  }

  /**
   * Switches, or goes home, if that is due and the program does not write by itself; any thread
   * that holds the lock.
   *
   * @return false if the kernel has not taken all control octets
   */
  boolean settle(boolean blocking) throws IOException {
    return ready(blocking) || pending == null;
  }

  /** Whether the direction is on the anchor, with no control octet under way. */
  boolean isHome() {
    return !ring && pending == null;
  }

  /** The control octets that the kernel has not taken, for whoever keeps the anchor; or null. */
  @Nullable ByteBuffer takePending() {
    ByteBuffer p = pending;
    pending = null;
    return p;
  }

  /** Whether no control octet waits to be taken by the kernel; tries once more. */
  boolean completePending() throws IOException {
    return pending == null || flushPending();
  }

  /** Whether the direction is in the ring, or on its way there. */
  boolean hasSwitched() {
    return ring;
  }

  /** Why the stream is plain at this moment, although it is joined to its peer. */
  Reason reasonNow(Reason standing) {
    StreamLink link = stream.link();
    if (standing != Reason.NONE || link == null || (isRing() && stream.in().isRing())) {
      return standing;
    }
    if (link.mustStandDown() || link.hasAskedToStandDown()) {
      return Reason.STOOD_DOWN;
    }
    return link.isDead() ? Reason.LINK_LOST : spilled ? Reason.SPILLED : Reason.SWITCHING;
  }

  // -- bell and credit -------------------------------------------------------------------------

  @Override
  public boolean ring() throws IOException {
    bell.clear();
    return anchor.write(bell) > 0;
  }

  /** Credit came, or something else that a starved writer should look at. Any thread. */
  void wake() {
    credit.wake();
  }

  // -- for selectors and the closer ------------------------------------------------------------

  boolean isRing() {
    return ring && pending == null;
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
      flushPending();
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
          flushPending();
        }
      }
    }
    // A reset of a registered channel becomes visible when its selector notices, as in the JDK:
    // then the kernel tells the peer.
    if (closing && (!reset || anchor.isBlocking() || !anchor.isRegistered())) {
      link.producer()
          .publishFlags(ControlLayout.FLAG_CLOSED | (reset ? ControlLayout.FLAG_RESET : 0));
    }
  }

  /** A snapshot, racy. */
  Flow flow() {
    return counters.flow(isRing(), rawOut, spinner, stream.link(), false);
  }
}
