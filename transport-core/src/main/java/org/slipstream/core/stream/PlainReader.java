package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.transport.OutOfLine;

/**
 * Reads raw bytes from TCP and stops exactly where the peer's next epoch in the ring begins: what
 * lies behind that count is MARK and control bytes, which stay in {@link #control}.
 *
 * <p>Guarded by the read lock, except where a field says otherwise.
 */
final class PlainReader {
  /** A TCP connection that ends without a final position is a reset after so long. */
  private static final long FIN_GRACE_NS = 100_000_000;

  private static final int SKIP_BYTES = 16 * 1024;

  /** A program that waits for a message of more bytes than these before it reads has to read. */
  private static final int MOST_KEPT = 1 << 20;

  private final StreamContext stream;
  private final ReceiveSwitch phase;
  private final DirectionCounters counters;
  private final TcpReader control;

  /** Raw bytes ever handed to the program (without MARK and control bytes). */
  private long rawIn;

  /** The same, for any thread at any moment: never with bytes of MARK that are taken out again. */
  private long counted;

  /** Raw bytes still to come that the program has already, by a link that failed. */
  private volatile long skip;

  /** Raw bytes that were read together with control bytes. Read racily by selectors. */
  private volatile @Nullable ByteBuffer pushback;

  /** Control bytes were not taken out of the program's buffers, as there was no memory for them. */
  private boolean torn;

  /** The kernel said end of stream. Written under the lock; read by selectors. */
  private volatile boolean eof;

  /** When the TCP connection was first seen to have ended without a final position; 0 = never. */
  private long tcpEndSeen;

  PlainReader(StreamContext stream, ReceiveSwitch phase, DirectionCounters counters) {
    this.stream = stream;
    this.phase = phase;
    this.counters = counters;
    this.control = new TcpReader(stream.tcp, stream.error);
  }

  /** What was read but is not data. */
  TcpReader control() {
    return control;
  }

  /** Raw bytes that the program has got; racy, and never back. */
  long rawBytes() {
    return counted;
  }

  boolean isEof() {
    return eof;
  }

  /** The kernel said end of stream, unless that was our own doing. */
  void eof() {
    eof = !stream.state.isInputShutdown();
  }

  boolean hasPushback() {
    return pushback != null;
  }

  /** These bytes turned out to be data. */
  void pushBack(ByteBuffer in) {
    ByteBuffer copy = ByteBuffer.allocate(in.remaining());
    pushback = copy.put(in).flip();
  }

  /** So many of the next raw bytes are known already. */
  void skip(long bytes) {
    skip = bytes;
  }

  /** Takes known bytes off the TCP connection; false if some are still to come. */
  private boolean skipKnown(boolean blocking, long deadline) throws IOException {
    while (skip > 0) {
      ByteBuffer sink = ByteBuffer.allocate((int) Math.min(skip, SKIP_BYTES));
      int n = readRaw(sink, blocking, deadline);
      if (n <= 0) {
        return n < 0;
      }
      skip -= n;
    }
    return true;
  }

  /** The raw bytes before the next MARK; -1 if none is announced. */
  private long epochAt(@Nullable StreamLink link) {
    return link == null || stream.slot.isUnrelated(link) ? -1 : link.consumer().epochs().nextAt();
  }

  /** Whether the very next byte of the TCP connection is MARK. */
  boolean isMarkNext(StreamLink link) {
    return epochAt(link) == rawIn;
  }

  /**
   * Reads raw bytes.
   *
   * @return bytes read; 0 if there are none, or if control bytes are held now; -1 at the end;
   *     {@link InterruptScope#MUST_NOT_BLOCK}
   */
  @OutOfLine
  int read(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    try {
      return readUpToMark(dst, blocking, deadline);
    } finally {
      counted = rawIn;
    }
  }

  private int readUpToMark(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    if (torn) {
      throw stream.error.incomplete();
    }
    if (skip > 0 && !skipKnown(blocking, deadline)) {
      return 0;
    }
    StreamLink link = stream.link();
    long epochAt = epochAt(link);
    if ((epochAt >= 0 && epochAt < rawIn) || (epochAt != rawIn && control.isHolding())) {
      refuse();
      epochAt = -1;
    }
    if (epochAt < 0) {
      int n = readRaw(dst, blocking, deadline);
      return n > 0 ? n - cut(n, dst) : n;
    }
    long before = epochAt - rawIn;
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
    } else if (blocking && mustNotBlock()) {
      return InterruptScope.MUST_NOT_BLOCK;
    } else if (!control.holdsWhole(StreamLink.MARK_BYTES) && control.fill(blocking, deadline) < 0) {
      eof();
      return -1;
    }
    return 0;
  }

  private int readRaw(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    ByteBuffer left = pushback;
    if (left != null) {
      return takePushback(left, dst);
    }
    if (eof) {
      return -1;
    }
    if (blocking && mustNotBlock()) {
      return InterruptScope.MUST_NOT_BLOCK;
    }
    int n = control.read(dst, blocking, deadline);
    if (n > 0) {
      rawIn += n;
      counters.raw(stream.signals, n);
    } else if (n < 0) {
      eof();
    }
    return n;
  }

  private boolean mustNotBlock() throws IOException {
    return stream.scope.mustNotBlock() && control.isEmpty();
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

  /** Scatters raw bytes; only while the stream has no link when the read begins. */
  @OutOfLine
  long scatter(ByteBuffer[] dsts, int from, int to, boolean blocking) throws IOException {
    try {
      return scatterUpToMark(dsts, from, to, blocking);
    } finally {
      counted = rawIn;
    }
  }

  private long scatterUpToMark(ByteBuffer[] dsts, int from, int to, boolean blocking)
      throws IOException {
    int[] starts = new int[to];
    for (int i = from; i < to; i++) {
      starts[i] = dsts[i].position();
    }
    if (blocking && mustNotBlock()) {
      return InterruptScope.MUST_NOT_BLOCK;
    }
    long n = control.read(dsts, from, to - from);
    if (n < 0) {
      eof();
    }
    if (n <= 0) {
      return n;
    }
    rawIn += n;
    counters.raw(stream.signals, n);
    long excess = excess(n);
    if (excess == 0) {
      return n;
    }
    torn = true;
    // A link came meanwhile, and its MARK lies behind the data, perhaps over several buffers.
    int[] cuts = new int[to];
    long left = excess;
    for (int i = to - 1; i >= from; i--) {
      cuts[i] = (int) Math.min(left, dsts[i].position() - starts[i]);
      left -= cuts[i];
    }
    for (int i = from; i < to; i++) {
      take(cuts[i], dsts[i]);
    }
    torn = false;
    return n - excess;
  }

  /** What was just read may reach over the switch into MARK: takes that back out of dst. */
  private int cut(int n, ByteBuffer dst) throws ProtocolViolationException {
    int excess = (int) excess(n);
    torn = excess > 0;
    take(excess, dst);
    torn = false;
    return excess;
  }

  private long excess(long n) throws ProtocolViolationException {
    long epochAt = epochAt(stream.link());
    if (epochAt < 0 || epochAt >= rawIn) {
      return 0;
    }
    long excess = rawIn - epochAt;
    if (excess > n) {
      refuse();
      return 0;
    }
    return excess;
  }

  /**
   * The window says that MARK was where we have read data. Our peer would have broken the protocol;
   * before MARK has proven it to be our peer, it is an unrelated process, which knows nothing of
   * this TCP connection, and the stream stays plain. So it does, until it gets another link, if
   * this one failed while the peer wanted to switch: then it went on raw, and its word came late.
   * Where words may come late, that may be before we know of the failure.
   */
  private void refuse() throws ProtocolViolationException {
    StreamLink link = stream.link();
    if (phase.isProven() && (link == null || (link.link().isLossless() && !link.hasFailed()))) {
      throw new ProtocolViolationException("Peer left TCP in the past");
    }
    if (control.isHolding()) {
      pushBack(control.held()); // began like MARK, until the window said something else
    }
    if (link != null) {
      stream.slot.drop(link);
    }
    stream.signals.changed();
  }

  private void take(int excess, ByteBuffer dst) {
    if (excess > 0) {
      int at = dst.position() - excess;
      control.unread(dst, at, excess);
      dst.position(at);
      rawIn -= excess;
    }
  }

  /** Raw bytes that have come, up to MARK; one read may return fewer. */
  int available() throws IOException {
    int here = (int) Math.clamp(come() - skip, 0L, Integer.MAX_VALUE);
    long epochAt = epochAt(stream.link());
    return epochAt < rawIn ? here : Math.clamp(epochAt - rawIn, 0, here);
  }

  /** Bytes that have come and were not parsed, of whatever kind. */
  private long come() throws IOException {
    ByteBuffer left = pushback;
    return (left == null ? 0L : left.remaining()) + (eof ? 0 : control.available());
  }

  /**
   * Whether MARK has come behind raw bytes that the program has yet to read. They are taken off the
   * kernel for that, and kept for its reads.
   */
  boolean hasMarkBehind(StreamLink link) throws IOException {
    long before = epochAt(link) - rawIn;
    if (before < 0 || before > MOST_KEPT || skip > 0 || control.isHolding()) {
      return false;
    }
    int whole = (int) before + StreamLink.MARK_BYTES;
    if (come() < whole) {
      return false;
    }
    ByteBuffer left = pushback;
    if (left == null || left.remaining() < whole) {
      left = keep(whole);
    }
    if (left.remaining() < whole) {
      return false; // the connection has failed, which the next read reports
    }
    return link.beginsMark(left, left.position() + (int) before);
  }

  /** Takes so many bytes, which have come, off the kernel. */
  private ByteBuffer keep(int whole) throws IOException {
    ByteBuffer kept = ByteBuffer.allocate(whole);
    ByteBuffer left = pushback;
    if (left != null) {
      kept.put(left);
    }
    try {
      int n = 1;
      while (n > 0 && kept.hasRemaining()) {
        n = control.read(kept, false, 0);
      }
    } catch (IOException e) {
      if (!stream.error.latch(e)) {
        throw e;
      }
    } finally {
      pushback = kept.flip();
    }
    return kept;
  }

  /**
   * The TCP connection has ended, but the final position of a peer that lives may come a moment
   * later: an interrupt closes the TCP connection before the stream knows of it.
   */
  boolean mayFinStillCome() {
    long now = System.nanoTime();
    if (tcpEndSeen == 0) {
      tcpEndSeen = now;
    }
    return now - tcpEndSeen < FIN_GRACE_NS;
  }
}
