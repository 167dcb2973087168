package org.slipstream.core.ring;

import java.io.IOException;

/** Wakes a peer's reader that is armed. */
@FunctionalInterface
public interface Doorbell {
  /**
   * Rings once. Called by the writer, after a publish. Never waits for a peer that does not read.
   *
   * @return false if the way was full: then the peer has something unread there and will look by
   *     itself, and the arming still wants its doorbell
   * @throws IOException the way to the peer is gone; what was published stays published
   */
  boolean signal() throws IOException;
}
