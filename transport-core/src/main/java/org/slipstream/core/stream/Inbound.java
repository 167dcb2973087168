package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Flow;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.core.upgrade.ReceiveSwitch.State;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.StreamLock;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.OutOfLine;

/**
 * The receiving direction of a stream: the one loop of a read (decide, move, wait). Raw bytes come
 * from TCP, then MARK, then out of the ring, and perhaps from TCP again, as {@link ReceiveSwitch}
 * decides.
 *
 * <p>Guarded by the read lock, except where a field says otherwise. A waiter may sleep only if the
 * stream is armed or a doorbell is unread; reading a doorbell, arming and looking are one step
 * under the lock.
 */
final class Inbound implements Spinner.Condition {

  final StreamLock lock = new StreamLock();

  /** For the status report. */
  final DirectionCounters counters = new DirectionCounters();

  private final StreamContext stream;
  private final Spinner spinner;
  private final ReceiveSwitch phase = new ReceiveSwitch();
  private final PlainReader plain;
  private final ControlIntake intake;
  private final RingEnd end;
  private final ReaderSleep sleep;
  private final ConnectionError error;

  /** What a read would find. */
  final InboundReadiness readiness;

  Inbound(StreamContext stream) {
    this.stream = stream;
    this.spinner = stream.spinner();
    this.error = stream.error;
    this.plain = new PlainReader(stream, phase, counters);
    this.intake = new ControlIntake(stream, phase, plain, counters);
    this.end = new RingEnd(stream, phase, plain, intake);
    this.readiness = new InboundReadiness(stream, phase, plain, intake, end, counters);
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
        parse(n, link);
        intake.takeMarkBehind(n, link, blocking);
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
      if (end.isReached(consumer, blocking)) {
        return -1;
      }
      if (phase.isTcp()) {
        continue;
      }
      if (!blocking) {
        if (!intake.pollIfDue()
            || (isState(State.RING) && !hasTcpEnded() && !consumer.available())) {
          return 0;
        }
      } else if (stream.scope.isInterrupted()) {
        intake.take(true, deadline); // the TCP connection's own read answers the interrupt
      } else if (consumer.isPending() || !spinner.spin(this)) {
        if (sleep.hasHeardTcp()) {
          sleep.rungByTcp(intake.takeHearing(deadline));
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

  /** What was read belongs to the program, whether or not there is memory for what follows. */
  private void parse(long read, @Nullable StreamLink link) throws IOException {
    try {
      intake.parse(link);
    } catch (OutOfMemoryError e) {
      if (read <= 0) {
        throw e;
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
      parse(n, stream.link());
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

  /** The spinner's look, for each of its ways to look on. */
  @OutOfLine
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
      sendCreditNotice(link);
    }
    if (consumer.credit().growFailure() != null && link.requestRevoke()) {
      link.control().sendRevoke(link);
    }
  }

  /** The peer's writer sleeps until it comes. */
  @OutOfLine
  private static void sendCreditNotice(StreamLink link) {
    for (int attempt = 1; ; attempt++) {
      try {
        link.control().sendCreditNotice(link);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private boolean isState(State expected) {
    return phase.state() == expected;
  }

  /** The link is another one, whose MARK has to come first; both directions are on TCP. */
  void forgetProof() {
    phase.linkReplaced();
  }

  // -- waiting ---------------------------------------------------------------------------------

  /** Where the reader was told to, or in the JDK's own read of the TCP connection. */
  private void sleep(@Nullable PipeAddress way, long deadline) throws IOException {
    if (way == null) {
      intake.take(true, deadline);
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

  // -- for selectors and the closer ------------------------------------------------------------

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

  /** The kernel has said its last word, and it was heard; any thread. */
  boolean hasTcpEnded() {
    return intake.hasEnded();
  }

  /**
   * A writer that never reads may take MARK off the TCP connection, if it is next. Under the lock.
   *
   * @param blocking the mode of the channel
   */
  void takeMark(boolean blocking) throws IOException {
    intake.takeMark(blocking);
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
      intake.takeMark(blocking);
      if (isState(State.RING) && (!blocking || !plain.control().isEmpty())) {
        intake.poll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
