package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.upgrade.ReceiveSwitch;

/**
 * What the control bytes mean that a receiving direction finds on its TCP connection where data
 * ends: MARK, then doorbells, and BACK or FAIL, behind which data goes on.
 *
 * <p>Guarded by the read lock.
 */
final class ControlParser {
  private final StreamContext stream;
  private final PlainReader plain;
  private final ReceiveSwitch phase;
  private final DirectionCounters counters;

  /** A doorbell was read since this was cleared. */
  private boolean heardDoorbell;

  ControlParser(
      StreamContext stream, PlainReader plain, ReceiveSwitch phase, DirectionCounters counters) {
    this.stream = stream;
    this.plain = plain;
    this.phase = phase;
    this.counters = counters;
  }

  /** Whether a doorbell was read since {@link #forgetDoorbell}. */
  boolean hasHeardDoorbell() {
    return heardDoorbell;
  }

  void forgetDoorbell() {
    heardDoorbell = false;
  }

  /** Consumes what the control reader holds; what turns out to be data is pushed back. */
  void parse(StreamLink link) throws IOException {
    ByteBuffer held = plain.control().held();
    boolean whole = true;
    while (whole && held.hasRemaining()) {
      switch (phase.state()) {
        case TCP -> whole = parseMark(link, held);
        case RING -> whole = parseControlByte(link, held);
        case DRAINING -> plain.pushBack(held);
      }
    }
  }

  /** Returns false if there is nothing more to parse now. */
  private boolean parseMark(StreamLink link, ByteBuffer held) {
    if (link.beginsMark(held, held.position())) {
      if (held.remaining() < StreamLink.MARK_BYTES) {
        return false;
      }
      held.position(held.position() + StreamLink.MARK_BYTES);
      boolean first = !phase.isProven();
      phase.mark(); // before the count is taken: see LinkJoin
      link.consumer().epochs().begin();
      link.provePeer();
      if (first) {
        link.control().linkProven(link);
      }
      stream.signals.changed();
      return true;
    }
    // Data of an unrelated process: the link is not ours. Or of our peer, which lost it just before
    // MARK.
    plain.pushBack(held);
    stream.slot.drop(link);
    stream.signals.changed();
    return false;
  }

  private boolean parseControlByte(StreamLink link, ByteBuffer held) throws IOException {
    byte controlByte = held.get(held.position());
    switch (controlByte) {
      case ControlBytes.DOORBELL -> {
        held.get();
        link.consumer().doorbellHeard();
        heardDoorbell = true;
        counters.wakeUps++;
        counters.lastDoorbell = LastDoorbell.TCP;
      }
      case ControlBytes.BACK -> {
        if (held.remaining() <= ControlBytes.BACK_BODY_BYTES) {
          return false;
        }
        held.get();
        phase.back(held.getLong());
        stream.signals.changed();
      }
      case ControlBytes.FAIL -> {
        if (held.remaining() <= ControlBytes.FAIL_BODY_BYTES) {
          return false;
        }
        held.get();
        fail(link, held.getLong());
        plain.pushBack(held);
        return false;
      }
      default -> {
        if (!stream.slot.isInline()) {
          throw stream.error.violated(
              new ProtocolViolationException("Peer sent control byte " + controlByte));
        }
        held.get(); // urgent, sent before the peer knew: the kernel would have dropped it as late
      }
    }
    return true;
  }

  /** The peer goes on raw from a position that it knows we have read. */
  private void fail(StreamLink link, long position) throws IOException {
    long read = link.consumer().consumed();
    if (position < 0 || position > read) {
      throw stream.error.violated(
          new ProtocolViolationException("Peer goes on at " + position + ", but only " + read));
    }
    plain.skip(read - position);
    link.markDead();
    link.control().linkFailed(link);
    phase.fail();
    stream.signals.changed();
  }
}
