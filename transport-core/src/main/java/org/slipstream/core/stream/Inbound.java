package org.slipstream.core.stream;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.ControlLayout;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.wait.Spinner;

/**
 * The receiving direction of a stream: raw bytes of the anchor, then MARK, then the ring, and
 * perhaps back.
 *
 * <pre>
 *   PLAIN --MARK read--&gt; RING --BACK(p) read--&gt; DRAINING --ring empty at p--&gt; PLAIN
 * </pre>
 *
 * <p>Guarded by the read lock, except where a field says otherwise. A waiter may sleep only if the
 * stream is armed or a bell is unread; reading a bell, arming and looking are one step under the
 * lock.
 */
final class Inbound implements Spinner.Condition {

  private enum Mode {
    PLAIN,
    RING,
    DRAINING
  }

  /** Empty rings are answered without a look at the anchor for so long. */
  private static final long ANCHOR_LOOK_NS = 20_000;

  final ReentrantLock lock = new ReentrantLock();

  private final Stream stream;
  private final SocketChannel anchor;
  private final Spinner spinner;
  private final AnchorReader control;

  private Mode mode = Mode.PLAIN;

  /** Raw bytes ever taken off the anchor (without MARK and control octets). */
  private long rawIn;

  /** Position at which the peer left the ring; valid while DRAINING. */
  private long backAt;

  /** Raw bytes that were read together with control octets. */
  private @Nullable ByteBuffer pushback;

  private long lastAnchorLook;

  /** Written under the lock; read by selectors. */
  private volatile boolean ringMode;

  /** The kernel said end of stream. Written under the lock; read by selectors. */
  private volatile boolean anchorEof;

  /** The kernel said reset, or the peer broke the protocol. As {@link #anchorEof}. */
  private volatile @Nullable IOException anchorError;

  /** Bytes read, for the status report. Written under the lock, read racily. */
  private long ringBytes;

  /** MARK has been read: the process at the other end of the link is our peer. */
  private volatile boolean proven;

  Inbound(Stream stream, SocketChannel anchor, Spinner spinner) {
    this.stream = stream;
    this.anchor = anchor;
    this.spinner = spinner;
    this.control = new AnchorReader(anchor);
  }

  // -- reading ---------------------------------------------------------------------------------

  /**
   * Reads some bytes.
   *
   * @param dst has room
   * @param blocking whether to wait
   * @param deadline {@link System#nanoTime} at which a blocking read gives up with {@link
   *     java.net.SocketTimeoutException}; 0 = never
   * @return bytes read, 0 (not blocking), or -1
   */
  int read(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    StreamLink link = stream.link();
    for (; ; ) {
      stream.checkStillOpen();
      if (stream.isInputShutdown() && link != null) {
        return -1;
      }
      if (mode == Mode.PLAIN) {
        int n = readPlain(dst, blocking, deadline);
        if (n != 0 || (mode == Mode.PLAIN && pushback == null && !blocking)) {
          return n;
        }
        link = stream.link();
        continue;
      }
      // Never null outside PLAIN.
      RingConsumer consumer = Objects.requireNonNull(link).consumer();
      int n = consumer.read(dst);
      if (n > 0) {
        ringBytes += n;
        afterRead(link, consumer);
        return n;
      }
      if (endReached(consumer)) {
        return -1;
      }
      if (mode == Mode.PLAIN) {
        continue;
      }
      if (!blocking) {
        if (!lookAtAnchor(consumer)) {
          return 0;
        }
      } else if (Thread.currentThread().isInterrupted() && !stream.isUninterruptible()) {
        takeControl(true, deadline); // the anchor's own read answers the interrupt
      } else if (!spinner.spin(this) && consumer.arm()) {
        if (stream.scope().mustNotBlock()) {
          return Stream.MUST_NOT_BLOCK;
        }
        takeControl(true, deadline);
        spinner.slept();
      }
    }
  }

  /**
   * Scatters; as {@link #read(ByteBuffer, boolean, long)}, and never waits for the second buffer.
   *
   * @param dsts the buffers
   * @param from index of the first
   * @param to index behind the last
   */
  long read(ByteBuffer[] dsts, int from, int to, boolean blocking) throws IOException {
    int i = from;
    while (i < to - 1 && !dsts[i].hasRemaining()) {
      i++;
    }
    if (mode == Mode.PLAIN && stream.link() == null && pushback == null && to - i > 1) {
      return scatterRaw(dsts, i, to, blocking);
    }
    long total = read(dsts[i], blocking, 0);
    while (total > 0 && !dsts[i].hasRemaining() && ++i < to && mode == Mode.RING) {
      StreamLink link = Objects.requireNonNull(stream.link());
      int n = link.consumer().read(dsts[i]);
      ringBytes += n;
      total += n;
      afterRead(link, link.consumer());
    }
    return total;
  }

  private long scatterRaw(ByteBuffer[] dsts, int from, int to, boolean blocking)
      throws IOException {
    int[] starts = new int[to];
    for (int i = from; i < to; i++) {
      starts[i] = dsts[i].position();
    }
    if (blocking && stream.scope().mustNotBlock() && control.isEmpty()) {
      return Stream.MUST_NOT_BLOCK;
    }
    long n = anchor.read(dsts, from, to - from);
    if (n <= 0) {
      anchorEof |= n < 0 && !stream.isInputShutdown();
      return n;
    }
    rawIn += n;
    stream.countRaw();
    // A link that came meanwhile may have put its MARK behind the data: take it out, last buffer
    // first.
    StreamLink link = stream.link();
    for (int i = to; link != null && --i >= from; ) {
      int got = dsts[i].position() - starts[i];
      if (got > 0) {
        n -= got - split(link, dsts[i], got);
      }
    }
    return n;
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    StreamLink link = stream.link();
    return link == null
        || link.consumer().peekAvailable()
        || stream.isClosing()
        || stream.isInputShutdown()
        || link.consumer().peekFin()
        || Thread.currentThread().isInterrupted();
  }

  private void afterRead(StreamLink link, RingConsumer consumer) {
    if (consumer.takeCreditNotice()) {
      link.control().sendCreditNotice(link);
    }
    if (consumer.growFailure() != null && !stream.wasAskedToStandDown()) {
      link.control().sendStandDown(link);
    }
  }

  /** Nothing is in the ring now: is that the end? May fall back to PLAIN. */
  private boolean endReached(RingConsumer consumer) throws IOException {
    if (mode == Mode.DRAINING && !consumer.available()) {
      if (consumer.consumed() != backAt) {
        throw latch(new ProtocolViolationException("Peer left the ring at " + backAt));
      }
      enter(Mode.PLAIN);
      consumer.endTurn();
      return false;
    }
    if ((consumer.peerFlags() & ControlLayout.FLAG_RESET) != 0 && !consumer.available()) {
      throw latch(new SocketException("Connection reset"));
    }
    if (consumer.finReached()) {
      return true;
    }
    if ((anchorEof || anchorError != null) && !consumer.available()) {
      IOException error = anchorError;
      if (error != null && !consumer.finReached()) {
        throw error;
      }
      return true;
    }
    return false;
  }

  private IOException latch(IOException e) {
    anchorError = e;
    return e;
  }

  private void enter(Mode next) {
    mode = next;
    ringMode = next != Mode.PLAIN;
    stream.changed();
  }

  // -- plain -----------------------------------------------------------------------------------

  private int readPlain(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    StreamLink link = stream.link();
    long turnAt = turnAt(link);
    if (link == null || turnAt < 0) {
      int n = readRaw(dst, blocking, deadline);
      link = stream.link();
      return n > 0 && link != null ? split(link, dst, n) : n;
    }
    long before = turnAt - rawIn;
    if (before < 0) {
      throw latch(new ProtocolViolationException("Peer left the anchor in the past"));
    }
    if (before > 0) {
      int limit = dst.limit();
      dst.limit((int) Math.min(limit, dst.position() + before));
      try {
        return readRaw(dst, blocking, deadline);
      } finally {
        dst.limit(limit);
      }
    }
    ByteBuffer left = pushback;
    if (left != null) {
      pushback = null;
      control.unread(left, left.position(), left.remaining());
    } else if (control.fill(blocking, deadline) < 0) {
      anchorEof = true;
      return -1;
    }
    parse(link);
    return 0;
  }

  private int readRaw(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    ByteBuffer left = pushback;
    if (left != null) {
      return takePushback(left, dst);
    }
    if (anchorEof) {
      return -1;
    }
    if (blocking && stream.scope().mustNotBlock() && control.isEmpty()) {
      return Stream.MUST_NOT_BLOCK;
    }
    int n = control.read(dst, blocking, deadline);
    if (n > 0) {
      rawIn += n;
      stream.countRaw();
    } else if (n == -1) {
      anchorEof = !stream.isInputShutdown();
    }
    return n;
  }

  /** What was just read may reach over the switch into MARK: takes that back out of dst. */
  private int split(StreamLink link, ByteBuffer dst, int n) throws IOException {
    long turnAt = turnAt(link);
    long excess = rawIn - turnAt;
    if (turnAt < 0 || excess <= 0) {
      return n;
    }
    if (excess > n) {
      throw latch(new ProtocolViolationException("Peer left the anchor in the past"));
    }
    int kept = n - (int) excess;
    int end = dst.position();
    control.unread(dst, end - (int) excess, (int) excess);
    dst.position(end - (int) excess);
    rawIn -= excess;
    parse(link);
    return kept;
  }

  private int takePushback(ByteBuffer left, ByteBuffer dst) {
    int n = Math.min(left.remaining(), dst.remaining());
    dst.put(left.slice(left.position(), n));
    left.position(left.position() + n);
    rawIn += n;
    if (!left.hasRemaining()) {
      pushback = null;
    }
    return n;
  }

  // -- control octets --------------------------------------------------------------------------

  /** Consumes what the control reader holds: MARK, then octets, perhaps raw bytes behind BACK. */
  private void parse(StreamLink link) throws IOException {
    ByteBuffer in = control.held();
    while (in.hasRemaining()) {
      if (mode == Mode.PLAIN) {
        if (!parseMark(link, in)) {
          return;
        }
      } else if (mode == Mode.RING) {
        byte octet = in.get(in.position());
        if (octet == ControlOctets.BELL) {
          in.get();
          link.consumer().bellHeard();
        } else if (octet == ControlOctets.BACK) {
          if (in.remaining() <= ControlOctets.BACK_BODY_BYTES) {
            return;
          }
          in.get();
          backAt = in.getLong();
          enter(Mode.DRAINING);
        } else {
          throw latch(new ProtocolViolationException("Peer sent control octet " + octet));
        }
      } else {
        pushback = copyOf(in);
      }
    }
  }

  private boolean parseMark(StreamLink link, ByteBuffer in) {
    if (in.remaining() < StreamLink.MARK_BYTES) {
      return false;
    }
    byte[] mark = new byte[StreamLink.MARK_BYTES];
    in.get(in.position(), mark);
    if (link.isMark(mark)) {
      in.position(in.position() + mark.length);
      proven = true;
      link.consumer().beginTurn();
      enter(Mode.RING);
      return true;
    }
    // Data of a stranger: the link is not ours, and the stream stays plain for ever.
    pushback = copyOf(in);
    stream.dropLink(Reason.WRONG_PEER);
    return false;
  }

  private static ByteBuffer copyOf(ByteBuffer in) {
    ByteBuffer copy = ByteBuffer.allocate(in.remaining());
    return copy.put(in).flip();
  }

  // -- waiting ---------------------------------------------------------------------------------

  /** In blocking mode this sleeps in the JDK's own read of the anchor. */
  private void takeControl(boolean blocking, long deadline) throws IOException {
    if (mode != Mode.RING || anchorEof || anchorError != null) {
      return;
    }
    int n;
    try {
      n = control.fill(blocking, deadline);
    } catch (SocketException e) {
      if (!anchor.isOpen()) {
        throw e;
      }
      latch(e);
      return;
    }
    if (n < 0) {
      anchorEof = !stream.isInputShutdown();
    } else if (n > 0) {
      parse(Objects.requireNonNull(stream.link()));
    }
  }

  /** A look at the anchor for a reader that polls; true if the ring should be looked at again. */
  private boolean lookAtAnchor(RingConsumer consumer) throws IOException {
    long now = System.nanoTime();
    if (now - lastAnchorLook < ANCHOR_LOOK_NS) {
      return false;
    }
    lastAnchorLook = now;
    if (mode != Mode.RING || anchorEof) {
      return false;
    }
    takeControl(false, 0);
    return mode != Mode.RING || anchorEof || anchorError != null || consumer.available();
  }

  // -- for selectors and the closer ------------------------------------------------------------

  /**
   * The anchor is readable: takes MARK and control octets off it, if that is what it is.
   * Non-blocking mode only, under the lock.
   *
   * @return true if a read would now return something (bytes, end, error)
   */
  boolean absorb() throws IOException {
    StreamLink link = stream.link();
    if (mode == Mode.PLAIN) {
      if (pushback != null || anchorEof || link == null || !markIsNext(link)) {
        return true;
      }
      int n = control.fill(false, 0);
      if (n < 0) {
        anchorEof = true;
      }
      parse(link);
      return readable();
    }
    takeControl(false, 0);
    return readable();
  }

  /**
   * A writer that never reads may take MARK off the anchor, if it is next. Under the lock.
   *
   * @param blocking the mode of the channel
   */
  void takeMark(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    if (link == null || mode != Mode.PLAIN || pushback != null || !markIsNext(link)) {
      return;
    }
    if (blocking && control.isEmpty()) {
      return;
    }
    if (control.fill(blocking, 0) > 0) {
      parse(link);
    }
  }

  private boolean markIsNext(StreamLink link) {
    return turnAt(link) == rawIn;
  }

  /** The raw bytes before the next MARK; -1 if none is announced. */
  private long turnAt(@Nullable StreamLink link) {
    return link == null || stream.isUnproven() ? -1 : link.consumer().nextTurnAt();
  }

  /** Arms for a selector; under the lock. True if the selector may sleep. */
  boolean arm() throws IOException {
    StreamLink link = stream.link();
    if (mode != Mode.RING || link == null) {
      return mode == Mode.PLAIN && !readable();
    }
    return !readable() && link.consumer().arm();
  }

  /** Whether a read would return something; any thread, no lock. Says nothing about raw bytes. */
  boolean readable() {
    if (stream.isInputShutdown()) {
      return true;
    }
    if (!ringMode) {
      return pushback != null || anchorEof || anchorError != null;
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    RingConsumer consumer = link.consumer();
    return consumer.peekAvailable()
        || anchorEof
        || anchorError != null
        || consumer.peekFin()
        || mode == Mode.DRAINING
        || (consumer.peerFlags() & ControlLayout.FLAG_RESET) != 0;
  }

  /** Bytes that a read would return now, at least; under the lock. */
  int availableBytes() throws IOException {
    ByteBuffer left = pushback;
    if (mode == Mode.PLAIN) {
      int inKernel = anchorEof ? 0 : anchor.socket().getInputStream().available();
      long turnAt = turnAt(stream.link());
      if (turnAt >= 0) {
        inKernel = (int) Math.clamp(turnAt - rawIn, 0, inKernel);
      }
      return left != null ? left.remaining() : inKernel;
    }
    return Objects.requireNonNull(stream.link()).consumer().availableBytes();
  }

  boolean isRing() {
    return ringMode;
  }

  boolean isProven() {
    return proven;
  }

  /** The kernel will say nothing more: nobody needs to listen to the anchor. */
  boolean isAnchorSilent() {
    return anchorEof || anchorError != null || stream.isInputShutdown();
  }

  long rawBytes() {
    return rawIn;
  }

  long ringBytes() {
    return ringBytes;
  }

  /** Bytes that the program never read: closing now is a reset, as in the kernel. */
  boolean hasUnread() {
    StreamLink link = stream.link();
    return pushback != null || (ringMode && link != null && link.consumer().peekAvailable());
  }

  /**
   * Takes stale bells off the anchor, so that the kernel does not see unread bytes; under the lock.
   */
  void drainBells(boolean blocking) throws IOException {
    if (mode == Mode.RING && (!blocking || !control.isEmpty())) {
      takeControl(false, 0);
    }
  }
}
