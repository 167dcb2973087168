package org.slipstream.core.api;

/** How far a connection has come, in the words of {@code ss}; for status output. */
public enum ConnectionState {
  /** Open both ways. */
  ESTAB,
  /** We have said our end. */
  FIN_WAIT,
  /** The peer has said its end. */
  CLOSE_WAIT,
  /** Both have. */
  LAST_ACK,
  /** Closed by the program. */
  CLOSED;

  /**
   * The state of an accepted or connected socket.
   *
   * @param open the program has not closed it
   * @param endSent our end was said
   * @param endRead the peer's end was read
   * @return in the words of {@code ss}
   */
  public static ConnectionState of(boolean open, boolean endSent, boolean endRead) {
    if (!open) {
      return CLOSED;
    }
    return endSent ? endRead ? LAST_ACK : FIN_WAIT : endRead ? CLOSE_WAIT : ESTAB;
  }
}
