package org.slipstream.core.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Tells control bytes that the peer sent before it heard of a close from data. TCP answers data
 * that reaches a closed socket by a reset; control bytes, of which the peer's program knows
 * nothing, must not have that effect.
 *
 * <p>Pure. One thread.
 */
public final class LateControlBytes {

  private enum State {
    MARK,
    RING,
    LENGTHS,
    KNOWN,
    DATA
  }

  private final ByteBuffer mark;
  private final long consumed;
  private State state;

  /** The message whose body is being collected. */
  private byte message;

  private final ByteBuffer body = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

  /** Bytes of a failed link that this end has read, and that come once more. */
  private long known;

  private LateControlBytes(State state, ByteBuffer mark, long consumed) {
    this.state = state;
    this.mark = mark;
    this.consumed = consumed;
  }

  /**
   * The peer's direction is on TCP: the switch marker may come.
   *
   * @param mark the nonce
   * @return the filter
   */
  public static LateControlBytes onTcp(ByteBuffer mark) {
    return new LateControlBytes(State.MARK, mark, 0);
  }

  /**
   * The peer's direction is in the ring.
   *
   * @param consumed how much was read of it
   * @return the filter
   */
  public static LateControlBytes inRing(long consumed) {
    return new LateControlBytes(State.RING, ByteBuffer.allocate(0), consumed);
  }

  /**
   * The next bytes of the connection.
   *
   * @param bytes wholly taken
   * @return false once there was a byte of data, which has to be answered by a reset
   */
  public boolean accept(ByteBuffer bytes) {
    while (bytes.hasRemaining() && state != State.DATA) {
      byte next = bytes.get();
      state =
          switch (state) {
            case MARK -> mark(next);
            case RING -> control(next);
            case LENGTHS -> length(next);
            case KNOWN -> known-- > 0 ? State.KNOWN : State.DATA;
            case DATA -> State.DATA;
          };
    }
    return state != State.DATA;
  }

  private State mark(byte next) {
    if (next != mark.get()) {
      return State.DATA;
    }
    return mark.hasRemaining() ? State.MARK : State.RING;
  }

  private State control(byte next) {
    message = next;
    body.clear();
    return switch (next) {
      case ControlBytes.DOORBELL -> State.RING;
      case ControlBytes.BACK, ControlBytes.FAIL -> State.LENGTHS;
      default -> State.DATA;
    };
  }

  private State length(byte next) {
    body.put(next);
    if (body.hasRemaining()) {
      return State.LENGTHS;
    }
    known = message == ControlBytes.FAIL ? consumed - body.getLong(0) : 0;
    return State.KNOWN;
  }
}
