package org.slipstream.ntb.sisci;

import java.io.IOException;

/** A call of the SISCI library failed. The message names the function and the library's text. */
public final class SisciException extends IOException {
  private static final long serialVersionUID = 1L;

  private final SisciError error;

  SisciException(String function, int code, String text) {
    super(
        function
            + ": "
            + text
            + " ("
            + SisciError.of(code)
            + ", 0x"
            + Integer.toHexString(code)
            + ")");
    this.error = SisciError.of(code);
  }

  /**
   * What went wrong.
   *
   * @return {@link SisciError#UNKNOWN} for codes of which we do not know the number
   */
  public SisciError error() {
    return error;
  }
}
