package org.slipstream.core.upgrade;

import org.slipstream.core.ring.ProtocolViolationException;

/**
 * Where the next byte of a receiving direction comes from: from TCP, or out of the ring.
 *
 * <pre>
 *        mark           back(p)              emptied(p)
 *   TCP ------&gt; RING ------------&gt; DRAINING -----------&gt; TCP
 *               RING -- fail ----------------------------&gt; TCP
 * </pre>
 *
 * <p>Events under the read lock; the state may be read by any thread.
 */
public final class ReceiveSwitch {

  /** Where the direction is. */
  public enum State {
    /** Bytes come from TCP. */
    TCP,
    /** Bytes come out of the ring, and control bytes from TCP. */
    RING,
    /** The peer has left the ring; what it published before has to be read. */
    DRAINING
  }

  /** Written under the read lock; read by selectors. */
  private volatile State state = State.TCP;

  /** MARK has been read. Written under the read lock; read by writers and selectors. */
  private volatile boolean proven;

  /** Position at which the peer left the ring; valid while DRAINING. */
  private long leftAt;

  /** {@return where the direction is; any thread} */
  public State state() {
    return state;
  }

  /** {@return whether bytes come from TCP; any thread} */
  public boolean isTcp() {
    return state == State.TCP;
  }

  /**
   * Whether the process at the other end of the link is the peer of the TCP connection: only it
   * knows the marker.
   *
   * @return true once MARK was read
   */
  public boolean isProven() {
    return proven;
  }

  /** MARK was read. */
  public void mark() {
    expect(state == State.TCP, "mark");
    proven = true;
    state = State.RING;
  }

  /**
   * BACK was read.
   *
   * @param position at which the peer left the ring
   */
  public void back(long position) {
    expect(state == State.RING, "back");
    leftAt = position;
    state = State.DRAINING;
  }

  /** FAIL was read. */
  public void fail() {
    expect(state == State.RING, "fail");
    state = State.TCP;
  }

  /**
   * Nothing is in the ring any more.
   *
   * @param position up to which the reader has taken everything out
   * @throws ProtocolViolationException the peer has announced another end: what it published before
   *     BACK has arrived before it
   */
  public void emptied(long position) throws ProtocolViolationException {
    expect(state == State.DRAINING, "emptied");
    if (position != leftAt) {
      throw new ProtocolViolationException("Peer left the ring at " + leftAt);
    }
    state = State.TCP;
  }

  /** On TCP the stream gets another link, whose MARK has to come first. Reactor. */
  public void linkReplaced() {
    proven = false;
  }

  private void expect(boolean allowed, String event) {
    if (!allowed) {
      throw new IllegalStateException(event + " in " + state);
    }
  }
}
