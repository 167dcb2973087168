package org.slipstream.core.stream;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.core.upgrade.ReceiveSwitch.State;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.OutOfLine;

/**
 * What a read of a receiving direction would find, for selectors, for {@code available} and for the
 * closer; and the arming of a selector.
 *
 * <p>Guarded by the read lock, except where a member says otherwise.
 */
final class InboundReadiness {
  private final StreamContext stream;
  private final ReceiveSwitch phase;
  private final PlainReader plain;
  private final ControlIntake intake;
  private final RingEnd end;
  private final DirectionCounters counters;

  /** What {@code available} found in the ring the last time. */
  private int lastAnswer;

  InboundReadiness(
      StreamContext stream,
      ReceiveSwitch phase,
      PlainReader plain,
      ControlIntake intake,
      RingEnd end,
      DirectionCounters counters) {
    this.stream = stream;
    this.phase = phase;
    this.plain = plain;
    this.intake = intake;
    this.end = end;
    this.counters = counters;
  }

  private boolean isState(State expected) {
    return phase.state() == expected;
  }

  /**
   * The TCP connection is readable: takes MARK and control bytes off it, if that is what it is.
   * Non-blocking mode only.
   *
   * @return true if a read would now return something (bytes, end, error)
   */
  @OutOfLine
  boolean absorb() throws IOException {
    return !intake.absorb() || readable();
  }

  /**
   * Arms for a selector.
   *
   * @param pipe where the selector wants its doorbell; null = on the TCP connection
   * @param heard the number that the last doorbell in that pipe named; 0 = none
   * @return whether the selector may sleep
   */
  @OutOfLine
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
  @OutOfLine
  boolean readable() {
    if (stream.state.isInputShutdown()) {
      return true;
    }
    if (phase.isTcp()) {
      return plain.hasPushback() || intake.hasEnded();
    }
    StreamLink link = stream.link();
    if (link == null) {
      return true;
    }
    RingConsumer consumer = link.consumer();
    return consumer.peekAvailable() || isReadableWithoutBytes(consumer);
  }

  private boolean isReadableWithoutBytes(RingConsumer consumer) {
    return intake.hasEnded()
        || stream.state.isInputShutdown()
        || consumer.peekFin()
        || isState(State.DRAINING)
        || (consumer.peerFlags() & ControlLayout.FLAG_RESET) != 0;
  }

  /**
   * Bytes that can be read without waiting. A program may ask again and again until a whole message
   * has come, and read only then. So this counts what lies on both sides of a switch, and takes
   * MARK and control bytes off the TCP connection, as a read does.
   */
  int availableBytes() throws IOException {
    // A read of the TCP connection would answer an interrupt, by closing it; a question must not.
    boolean mayTake = !stream.scope.isInterrupted();
    if (mayTake) {
      intake.takeMark(true);
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
      intake.askIfDue();
    }
    lastAnswer = n;
    if (mayTake && n == 0 && isState(State.DRAINING)) {
      end.isReached(consumer, false);
    }
    return isState(State.RING) ? n : sum(n, plain.available());
  }

  private static int sum(int a, int b) {
    return (int) Math.min((long) a + b, Integer.MAX_VALUE);
  }

  /** Bytes that the program never read: closing now is a reset, as in the kernel. */
  boolean hasUnread() {
    StreamLink link = stream.link();
    return plain.hasPushback() || (!phase.isTcp() && link != null && link.consumer().peekUnread());
  }
}
