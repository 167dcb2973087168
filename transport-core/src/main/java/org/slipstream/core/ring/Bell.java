package org.slipstream.core.ring;

import java.io.IOException;

/** Wakes a peer's reader that is armed. */
@FunctionalInterface
public interface Bell {
  /**
   * Rings once. Called by the writer, after a publish.
   *
   * @throws IOException the way to the peer is gone; what was published stays published
   */
  void ring() throws IOException;
}
