package org.slipstream.core.stream;

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

  static ConnectionState of(boolean open, boolean endSent, boolean endRead) {
    if (!open) {
      return CLOSED;
    }
    return endSent ? endRead ? LAST_ACK : FIN_WAIT : endRead ? CLOSE_WAIT : ESTAB;
  }
}
