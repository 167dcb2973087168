package org.slipstream.core.upgrade;

/**
 * Where the next byte of a sending direction goes: to TCP, or into the ring.
 *
 * <pre>
 *          begin            taken          leave            taken
 *   TCP  --------&gt; MARKING ------&gt; RING ---------&gt; LEAVING ------&gt; TCP         the link is dead
 *                                                          ------&gt; OVERFLOWED  the ring stayed full
 *   OVERFLOWED -- begin --&gt; MARKING -- abandon --&gt; TCP or OVERFLOWED, as before
 * </pre>
 *
 * <p>In MARKING and LEAVING control bytes are under way to the kernel, and nothing else may go out
 * before it has taken them: MARK announces the ring, BACK or FAIL the return to TCP.
 *
 * <p>Events under the write lock; the state may be read by any thread.
 */
public final class SendSwitch {

  /** Where the direction is. */
  public enum State {
    /** Bytes go to TCP; the direction has not been in the ring of this link. */
    TCP,
    /** The switch marker is on its way to the kernel. */
    MARKING,
    /** Bytes go into the ring. */
    RING,
    /** The word that ends an epoch in the ring is on its way to the kernel. */
    LEAVING,
    /** Bytes go to TCP because the ring stayed full; the direction returns when it is empty. */
    OVERFLOWED
  }

  /** What a writer has to do before its next byte. */
  public enum Action {
    /** The control bytes that are under way go first. */
    SEND_CONTROL,
    /** Announce the ring. */
    BEGIN,
    /** Announce the return to TCP. */
    LEAVE,
    /** Write to TCP. */
    WRITE_TCP,
    /** Write into the ring. */
    WRITE_RING
  }

  /** Written under the write lock; read by selectors. */
  private volatile State state = State.TCP;

  /** What MARKING came from, or LEAVING leads to. Guarded by the write lock. */
  private State onTcp = State.TCP;

  /** {@return where the direction is; any thread} */
  public State state() {
    return state;
  }

  /**
   * What comes next. The two conditions count in the states alone that they belong to.
   *
   * @param mustLeave in {@link State#RING}: the ring must not be used any more
   * @param mayBegin on TCP: the ring may be announced
   * @return the next action of the writer
   */
  public Action next(boolean mustLeave, boolean mayBegin) {
    return switch (state) {
      case RING -> mustLeave ? Action.LEAVE : Action.WRITE_RING;
      case TCP, OVERFLOWED -> mayBegin ? Action.BEGIN : Action.WRITE_TCP;
      case MARKING, LEAVING -> Action.SEND_CONTROL;
    };
  }

  /**
   * The ring is being announced. This comes before the last look at the link: no other link is
   * attached to a direction that has begun, and one that begins beside that sees the link failed.
   */
  public void begin() {
    State now = state;
    expect(now == State.TCP || now == State.OVERFLOWED, "begin");
    onTcp = now;
    state = State.MARKING;
  }

  /** The link has failed before a byte of the marker was given to the kernel. */
  public void abandon() {
    expect(state == State.MARKING, "abandon");
    state = onTcp;
  }

  /**
   * BACK or FAIL is given to the kernel.
   *
   * @param mayReturn whether the direction may return to the ring of this link
   */
  public void leave(boolean mayReturn) {
    expect(state == State.RING, "leave");
    onTcp = mayReturn ? State.OVERFLOWED : State.TCP;
    state = State.LEAVING;
  }

  /** The kernel has taken all control bytes, or never will. */
  public void taken() {
    State now = state;
    if (now == State.MARKING) {
      state = State.RING;
    } else if (now == State.LEAVING) {
      state = onTcp;
    }
  }

  /** {@return whether the direction is in the ring, or on its way there} */
  public boolean isSwitched() {
    State now = state;
    return now == State.RING || now == State.MARKING;
  }

  /** {@return whether bytes go into the ring now} */
  public boolean isRing() {
    return state == State.RING;
  }

  /** {@return whether bytes go to TCP now} */
  public boolean isTcp() {
    State now = state;
    return now == State.TCP || now == State.OVERFLOWED;
  }

  /** {@return whether the direction left, or leaves, a ring that stayed full} */
  public boolean hasOverflowed() {
    State now = state;
    return now == State.OVERFLOWED || (now == State.LEAVING && onTcp == State.OVERFLOWED);
  }

  private void expect(boolean allowed, String event) {
    if (!allowed) {
      throw new IllegalStateException(event + " in " + state);
    }
  }
}
