package org.slipstream.core.stream;

import java.io.IOException;
import java.util.Objects;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.upgrade.ReceiveSwitch;
import org.slipstream.core.upgrade.ReceiveSwitch.State;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.OutOfLine;

/**
 * What it means that nothing is in the ring: the peer has ended, has reset, is gone, has gone back
 * to TCP, or has only nothing to say.
 *
 * <p>Guarded by the read lock.
 */
final class RingEnd {
  private final StreamContext stream;
  private final ReceiveSwitch phase;
  private final PlainReader plain;
  private final ControlIntake intake;
  private final ConnectionError error;

  RingEnd(StreamContext stream, ReceiveSwitch phase, PlainReader plain, ControlIntake intake) {
    this.stream = stream;
    this.phase = phase;
    this.plain = plain;
    this.intake = intake;
    this.error = stream.error;
  }

  private boolean isState(State expected) {
    return phase.state() == expected;
  }

  /**
   * Nothing is in the ring now: is that the end? The direction may be on TCP behind this.
   *
   * @return true if the program reads the end of the stream
   * @throws IOException the error that the program reads instead
   */
  @OutOfLine
  boolean isReached(RingConsumer consumer, boolean blocking) throws IOException {
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
        return isState(State.DRAINING) && isReached(consumer, blocking);
      }
      error.peerReset();
      return error.end(blocking) < 0;
    }
    if (intake.hasEnded() && !consumer.availableAfterAll()) {
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
    while (isState(State.RING) && !intake.hasEnded() && !plain.control().isEmpty()) {
      intake.poll();
    }
    return !isState(State.RING);
  }
}
