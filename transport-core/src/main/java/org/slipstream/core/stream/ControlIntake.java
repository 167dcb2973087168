package org.slipstream.core.stream;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.core.upgrade.ReceiveSwitch.State;
import org.slipstream.transport.OutOfLine;

/**
 * Takes what is not data off the TCP connection of a receiving direction: the switch marker, and
 * the control bytes behind it; and says when the connection has ended. What they mean is {@link
 * ControlParser}'s.
 *
 * <p>Guarded by the read lock, except where a member says otherwise.
 */
final class ControlIntake {

  /** Empty rings are answered without a look at the TCP connection for so long. */
  private static final long TCP_POLL_NS = 20_000;

  private final StreamContext stream;
  private final ReceiveSwitch phase;
  private final PlainReader plain;
  private final ControlParser parser;

  private long lastTcpPoll;

  /**
   * The same for {@code available}, which may also be polled. With one clock, a program that polls
   * {@code available} before each read would leave no turn to the read, which alone sees the end of
   * the TCP connection.
   */
  private long lastQuestion;

  ControlIntake(
      StreamContext stream, ReceiveSwitch phase, PlainReader plain, DirectionCounters counters) {
    this.stream = stream;
    this.phase = phase;
    this.plain = plain;
    this.parser = new ControlParser(stream, plain, phase, counters);
  }

  private boolean isState(State expected) {
    return phase.state() == expected;
  }

  /** Parses what is held; what turns out to be data is pushed back. */
  void parse(@Nullable StreamLink link) throws IOException {
    if (link != null) {
      parser.parse(link);
    }
  }

  /** In blocking mode this sleeps in the JDK's own read of the TCP connection. */
  @OutOfLine
  void take(boolean blocking, long deadline) throws IOException {
    if (!isState(State.RING) || hasEnded()) {
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
  void takeMarkBehind(int read, @Nullable StreamLink link, boolean blocking) {
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
      stream.error.latch(e); // the program gets its bytes first
    } catch (OutOfMemoryError e) {
      return; // the same: its next read takes the marker
    }
  }

  /**
   * As {@link #take} in blocking mode.
   *
   * @return whether a doorbell was among it
   */
  @OutOfLine
  boolean takeHearing(long deadline) throws IOException {
    parser.forgetDoorbell();
    take(true, deadline);
    return parser.hasHeardDoorbell();
  }

  /**
   * The TCP connection is readable: takes MARK and control bytes off it, if that is what it is.
   * Non-blocking mode only.
   *
   * @return false if it is something that a read returns: bytes, the end, an error
   */
  boolean absorb() throws IOException {
    StreamLink link = stream.link();
    if (!phase.isTcp()) {
      parser.forgetDoorbell();
      take(false, 0);
      if (parser.hasHeardDoorbell()) {
        stream.signals
            .tellOthers(); // their arming ended with the doorbell, whether or not it woke them
      }
      return true;
    }
    if (link == null || plain.hasPushback() || plain.isEof() || !plain.isMarkNext(link)) {
      return false;
    }
    takeHeld(link);
    return true;
  }

  @OutOfLine
  private void takeHeld(StreamLink link) throws IOException {
    if (plain.control().fill(false, 0) < 0) {
      plain.eof();
    }
    parse(link);
  }

  /**
   * A writer that never reads may take MARK off the TCP connection, if it is next.
   *
   * @param blocking the mode of the channel
   */
  @OutOfLine
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
   * A look at the TCP connection for a reader that polls, unless the last one was a moment ago.
   *
   * @return whether it was looked at
   */
  boolean pollIfDue() throws IOException {
    long now = System.nanoTime();
    if (now - lastTcpPoll < TCP_POLL_NS) {
      return false;
    }
    lastTcpPoll = now;
    if (!isState(State.RING) || plain.isEof()) {
      return false;
    }
    poll();
    return true;
  }

  /** A look at the TCP connection. Does not block. */
  @OutOfLine
  void poll() throws IOException {
    parser.forgetDoorbell();
    try {
      take(false, 0);
    } finally {
      if (parser.hasHeardDoorbell()) {
        stream.signals.changed(); // it may have been meant for a selector, which is armed no more
      }
    }
  }

  /** Whether the peer goes on raw behind what is in the ring. Does not block. */
  void askIfDue() throws IOException {
    long now = System.nanoTime();
    if (isState(State.RING) && now - lastQuestion >= TCP_POLL_NS) {
      lastQuestion = now;
      if (!plain.control().isEmpty()) {
        poll();
      }
    }
  }

  /** The kernel has said its last word, and it was heard. */
  boolean hasEnded() {
    return plain.isEof() || stream.error.isViolated();
  }
}
