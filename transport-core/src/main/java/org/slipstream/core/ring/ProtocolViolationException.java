package org.slipstream.core.ring;

import java.io.IOException;

/** The peer wrote something into a window that no correct peer writes; ends this stream only. */
public final class ProtocolViolationException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes one.
   *
   * @param message what was found, with the numbers
   */
  public ProtocolViolationException(String message) {
    super(message);
  }
}
