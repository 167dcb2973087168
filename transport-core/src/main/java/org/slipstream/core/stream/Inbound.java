package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Flow;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.core.upgrade.ReceiveSwitch.State;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;
import org.slipstream.transport.ControlLayout;

/**
 * The receiving direction of a stream: raw bytes from TCP, then MARK, then the ring, and perhaps
 * back, as {@link ReceiveSwitch} decides.
 *
 * <p>Guarded by the read lock, except where a field says otherwise. A waiter may sleep only if the
 * stream is armed or a doorbell is unread; reading a doorbell, arming and looking are one step
 * under the lock.
 */
final class Inbound implements Spinner.Condition {

  /** Empty rings are answered without a look at the TCP connection for so long. */
  private static final long TCP_POLL_NS = 20_000;

  final StreamLock lock = new StreamLock();

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  private final StreamContext stream;
  private final Spinner spinner;
  private final ReceiveSwitch phase = new ReceiveSwitch();
  private final PlainReader plain;
  private final ControlParser parser;
  private final ReaderSleep sleep;
  private final ConnectionError error;

  private long lastTcpPoll;

  /**
   * The same for {@code available}, which may also be polled. With one clock, a program that polls
   * {@code available} before each read would leave no turn to the read, which alone sees the end of
   * the TCP connection.
   */
  private long lastQuestion;

  /** What {@code available} found in the ring the last time. */
  private int lastAnswer;

  Inbound(StreamContext stream) {
    this.stream = stream;
    this.spinner = stream.spinner();
    this.error = stream.error;
    this.plain = new PlainReader(stream, phase, counters);
    this.parser = new ControlParser(stream, plain, phase, counters);
    this.sleep = new ReaderSleep(stream, counters, plain.control());
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
      stream.state.checkStillOpen();
      if (stream.state.isInputShutdown() && link != null) {
        return -1;
      }
      if (phase.isTcp()) {
        int n = plain.read(dst, blocking, deadline);
        link = stream.link();
        parse(link);
        takeMarkBehind(n, link, blocking);
        if (n == -1 && !stream.state.isInputShutdown()) {
          return error.end(blocking);
        }
        if (n != 0 || (phase.isTcp() && !plain.hasPushback() && !blocking)) {
          return n;
        }
        continue;
      }
      // Never null outside PLAIN.
      RingConsumer consumer = Objects.requireNonNull(link).consumer();
      int n = consumer.read(dst);
      if (n > 0) {
        counters.countRing(n);
        afterRead(link, consumer);
        return n;
      }
      if (endReached(consumer, blocking)) {
        return -1;
      }
      if (phase.isTcp()) {
        continue;
      }
      if (!blocking) {
        if (!pollTcpIfDue(consumer)) {
          return 0;
        }
      } else if (stream.scope.isInterrupted()) {
        takeControl(true, deadline); // the TCP connection's own read answers the interrupt
      } else if (consumer.isPending() || !spinner.spin(this)) {
        if (sleep.hasHeardTcp()) {
          parser.forgetDoorbell();
          takeControl(true, deadline);
          sleep.rungByTcp(parser.hasHeardDoorbell());
          continue;
        }
        PipeAddress way = isState(State.RING) && !hasTcpEnded() ? sleep.prepare(link) : null;
        boolean asleep = false;
        try {
          if (!consumer.arm(way)) {
            spinner.caught();
          } else if (stream.scope.mustNotBlock()) {
            return InterruptScope.MUST_NOT_BLOCK;
          } else {
            asleep = true;
            sleep(way, deadline);
            stream.signals.waited(true, spinner.slept());
          }
        } finally {
          if (way != null && !asleep) {
            sleep.stayAwake();
          }
        }
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
    if (phase.isTcp() && stream.link() == null && !plain.hasPushback() && to - i > 1) {
      long n = plain.scatter(dsts, i, to, blocking);
      parse(stream.link());
      if (n == -1 && !stream.state.isInputShutdown()) {
        return error.end(blocking);
      }
      return n == 0 && !phase.isTcp() ? read(dsts[i], blocking, 0) : n;
    }
    long total = read(dsts[i], blocking, 0);
    while (total > 0 && !dsts[i].hasRemaining() && ++i < to && isState(State.RING)) {
      StreamLink link = Objects.requireNonNull(stream.link());
      int n = link.consumer().read(dsts[i]);
      counters.countRing(n);
      total += n;
      afterRead(link, link.consumer());
    }
    return total;
  }

  /** The spinner's look. */
  @Override
  public boolean met() throws IOException {
    StreamLink link = stream.link();
    return link == null
        || link.consumer().peekAvailable()
        || !stream.state.isOpen()
        || stream.state.isInputShutdown()
        || link.consumer().peekFin()
        || stream.scope.isInterrupted();
  }

  void afterRead(StreamLink link, RingConsumer consumer) {
    if (consumer.credit().takeNotice()) {
      link.control().sendCreditNotice(link);
    }
    if (consumer.credit().growFailure() != null && link.requestRevoke()) {
      link.control().sendRevoke(link);
    }
  }

  /** Nothing is in the ring now: is that the end? May fall back to PLAIN. */
  private boolean endReached(RingConsumer consumer, boolean blocking) throws IOException {
    if (isState(State.DRAINING) && !consumer.availableAfterAll()) {
      try {
        phase.emptied(consumer.consumed());
      } catch (ProtocolViolationException e) {
        throw error.violated(e);
      }
      stream.signals.changed();
      consumer.endEpoch();
      return false;
    }
    boolean reset = (consumer.peerFlags() & ControlLayout.FLAG_RESET) != 0;
    if (consumer.finReached()) { // said before a reset, it stays the end, as in the kernel
      return true;
    }
    if (reset && !consumer.available()) {
      if (isState(State.RING) && hasLeftBeforeReset()) {
        return isState(State.DRAINING) && endReached(consumer, blocking);
      }
      error.peerReset();
      return error.end(blocking) < 0;
    }
    if (hasTcpEnded() && !consumer.availableAfterAll()) {
      if (error.end(blocking) == 0) {
        return false;
      }
      if (Objects.requireNonNull(stream.link()).link().isLossless()) {
        return true;
      }
      if (plain.mayFinStillCome()) {
        return false;
      }
      throw error.incomplete();
    }
    return false;
  }

  /** The peer may have left the ring before it reset: what it has sent by TCP then comes first. */
  private boolean hasLeftBeforeReset() throws IOException {
    while (isState(State.RING) && !hasTcpEnded() && !plain.control().isEmpty()) {
      pollTcp();
    }
    return !isState(State.RING);
  }

  private boolean isState(State expected) {
    return phase.state() == expected;
  }

  // -- control bytes --------------------------------------------------------------------------

  private void parse(@Nullable StreamLink link) throws IOException {
    if (link != null) {
      parser.parse(link);
    }
  }

  /** The link is another one, whose MARK has to come first; both directions are on TCP. */
  void forgetProof() {
    phase.linkReplaced();
  }

  // -- waiting ---------------------------------------------------------------------------------

  /** Where the reader was told to, or in the JDK's own read of the TCP connection. */
  private void sleep(@Nullable PipeAddress way, long deadline) throws IOException {
    if (way == null) {
      takeControl(true, deadline);
    } else {
      sleep.sleep(deadline);
    }
  }

  /** A reader that sleeps elsewhere than on the TCP connection should look at the stream again. */
  void wake() {
    sleep.wake();
  }

  /** The stream is closed. */
  void closed() {
    sleep.close();
  }

  /** In blocking mode this sleeps in the JDK's own read of the TCP connection. */
  private void takeControl(boolean blocking, long deadline) throws IOException {
    if (!isState(State.RING) || hasTcpEnded()) {
      return;
    }
    int n = plain.control().fill(blocking, deadline);
    if (n < 0) {
      plain.eof();
    } else if (n > 0) {
      parse(stream.link());
    }
  }

  /**
   * Bytes were read up to where the switch marker begins. It is taken now if it is there: as an
   * unread byte it would make the end of this process a reset, however long the program takes to
   * read again.
   */
  private void takeMarkBehind(int read, @Nullable StreamLink link, boolean blocking) {
    if (read <= 0
        || link == null
        || !phase.isTcp()
        || !plain.isMarkNext(link)
        || stream.scope.isInterrupted()) { // a read would answer that by closing
      return;
    }
    try {
      takeMark(blocking);
    } catch (IOException e) {
      error.latch(e); // the program gets its bytes first
    }
  }

  /**
   * Whether raw bytes of the peer may be on their way to us, so that a reset would drop them. Any
   * thread; never waits.
   */
  boolean mayHaveRawUnderWay() throws IOException {
    if (!lock.tryLock()) {
      return phase.isTcp(); // a reader of the ring sleeps before an empty TCP connection
    }
    try {
      return !isState(State.RING) || !plain.control().isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A look at the TCP connection for a reader that polls; true if the ring should be looked at
   * again.
   */
  private boolean pollTcpIfDue(RingConsumer consumer) throws IOException {
    long now = System.nanoTime();
    if (now - lastTcpPoll < TCP_POLL_NS) {
      return false;
    }
    lastTcpPoll = now;
    if (!isState(State.RING) || plain.isEof()) {
      return false;
    }
    pollTcp();
    return !isState(State.RING) || hasTcpEnded() || consumer.available();
  }

  private void pollTcp() throws IOException {
    parser.forgetDoorbell();
    try {
      takeControl(false, 0);
    } finally {
      if (parser.hasHeardDoorbell()) {
        stream.signals.changed(); // it may have been meant for a selector, which is armed no more
      }
    }
  }

  // -- for selectors and the closer ------------------------------------------------------------

  /**
   * The TCP connection is readable: takes MARK and control bytes off it, if that is what it is.
   * Non-blocking mode only, under the lock.
   *
   * @return true if a read would now return something (bytes, end, error)
   */
  boolean absorb() throws IOException {
    StreamLink link = stream.link();
    if (!phase.isTcp()) {
      parser.forgetDoorbell();
      takeControl(false, 0);
      if (parser.hasHeardDoorbell()) {
        stream.signals
            .tellOthers(); // their arming ended with the doorbell, whether or not it woke them
      }
      return readable();
    }
    if (link == null || plain.hasPushback() || plain.isEof() || !plain.isMarkNext(link)) {
      return true;
    }
    takeHeld(link);
    return readable();
  }

  private void takeHeld(StreamLink link) throws IOException {
    if (plain.control().fill(false, 0) < 0) {
      plain.eof();
    }
    parse(link);
  }

  /**
   * A writer that never reads may take MARK off the TCP connection, if it is next. Under the lock.
   *
   * @param blocking the mode of the channel
   */
  void takeMark(boolean blocking) throws IOException {
    StreamLink link = stream.link();
    if (link != null
        && phase.isTcp()
        && !plain.hasPushback()
        && plain.isMarkNext(link)
        && !(blocking && plain.control().isEmpty())) {
      takeHeld(link);
    }
  }

  /**
   * Arms for a selector; under the lock.
   *
   * @param pipe where the selector wants its doorbell; null = on the TCP connection
   * @param heard the number that the last doorbell in that pipe named; 0 = none
   * @return whether the selector may sleep
   */
  boolean arm(@Nullable PipeAddress pipe, int heard) throws IOException {
    StreamLink link = stream.link();
    if (link != null && heard != 0 && link.consumer().doorbellHeard(heard)) {
      counters.wakeUps++;
      counters.lastDoorbell = LastDoorbell.PIPE;
    }
    if (!isState(State.RING) || link == null) {
      return phase.isTcp() && !readable();
    }
    RingConsumer consumer = link.consumer();
    // Of a pending position the arming itself has the last word.
    if (consumer.isPending() ? isReadableWithoutBytes(consumer) : readable()) {
      return false;
    }
    // Every reader hears the TCP connection; its own pipe only the loop that made it.
    boolean asleep = consumer.arm(stream.signals.isWatchedByOne() ? pipe : null);
    if (!asleep) {
      stream.signals.tellOthers(); // the arming that they rely on was taken back
    }
    return asleep;
  }

  /** Whether a read would return something; any thread, no lock. Says nothing about raw bytes. */
  boolean readable() {
    if (stream.state.isInputShutdown()) {
      return true;
    }
    if (phase.isTcp()) {
      return plain.hasPushback() || hasTcpEnded();
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    RingConsumer consumer = link.consumer();
    return consumer.peekAvailable() || isReadableWithoutBytes(consumer);
  }

  private boolean isReadableWithoutBytes(RingConsumer consumer) {
    return hasTcpEnded()
        || stream.state.isInputShutdown()
        || consumer.peekFin()
        || isState(State.DRAINING)
        || (consumer.peerFlags() & ControlLayout.FLAG_RESET) != 0;
  }

  /**
   * Bytes that can be read without waiting; under the lock. A program may ask again and again until
   * a whole message has come, and read only then. So this counts what lies on both sides of a
   * switch, and takes MARK and control bytes off the TCP connection, as a read does.
   */
  int availableBytes() throws IOException {
    // A read of the TCP connection would answer an interrupt, by closing it; a question must not.
    boolean mayTake = !stream.scope.isInterrupted();
    if (mayTake) {
      takeMark(true);
    }
    StreamLink link = stream.link();
    if (link == null) {
      return plain.available();
    }
    RingConsumer consumer = link.consumer();
    if (phase.isTcp()) {
      int raw = plain.available();
      return mayTake && consumer.peekAvailable() && plain.hasMarkBehind(link)
          ? sum(raw, consumer.availableBytes())
          : raw;
    }
    int n = consumer.availableBytes();
    if (mayTake && (n == 0 || n == lastAnswer)) { // else some came just now
      askTcp();
    }
    lastAnswer = n;
    if (mayTake && n == 0 && isState(State.DRAINING)) {
      endReached(consumer, false);
    }
    return isState(State.RING) ? n : sum(n, plain.available());
  }

  private static int sum(int a, int b) {
    return (int) Math.min((long) a + b, Integer.MAX_VALUE);
  }

  /** Whether the peer goes on raw behind what is in the ring. Does not block. */
  private void askTcp() throws IOException {
    long now = System.nanoTime();
    if (isState(State.RING) && now - lastQuestion >= TCP_POLL_NS) {
      lastQuestion = now;
      if (!plain.control().isEmpty()) {
        pollTcp();
      }
    }
  }

  boolean isRing() {
    return !phase.isTcp();
  }

  /**
   * Whether the lock is held by a reader that only the TCP connection's close wakes; any thread,
   * racy.
   */
  boolean isWaiting() {
    return plain.control().isWaiting();
  }

  /** The kernel has said its last word, and it was heard. */
  boolean hasTcpEnded() {
    return plain.isEof() || error.isViolated();
  }

  /** A snapshot, racy. */
  Flow flow() {
    return counters.flow(isRing(), plain.rawBytes(), spinner, stream.link(), true);
  }

  /** The control bytes that the peer may send before it hears of our close; under the lock. */
  LateControlBytes late(StreamLink link) {
    LateControlBytes late =
        phase.isTcp()
            ? LateControlBytes.onTcp(link.mark())
            : LateControlBytes.inRing(link.consumer().consumed());
    late.accept(plain.control().held().duplicate()); // the beginning of one
    return late;
  }

  /** Bytes that the program never read: closing now is a reset, as in the kernel. */
  boolean hasUnread() {
    StreamLink link = stream.link();
    return plain.hasPushback() || (isRing() && link != null && link.consumer().peekUnread());
  }

  /**
   * Takes stale doorbells off the TCP connection, for which an end with unread bytes in the kernel
   * would be a reset. The holder of the lock takes them anyway.
   *
   * @param blocking the mode of the channel
   * @return false if a reader is inside
   */
  boolean takeDoorbells(boolean blocking) throws IOException {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      takeMark(blocking);
      if (isState(State.RING) && (!blocking || !plain.control().isEmpty())) {
        pollTcp();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
