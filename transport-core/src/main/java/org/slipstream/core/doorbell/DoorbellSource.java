package org.slipstream.core.doorbell;

import org.jspecify.annotations.Nullable;

/** Where an event loop gets its pipe from, when it first needs one. */
@FunctionalInterface
public interface DoorbellSource {
  /** For loops that are woken on their TCP connections. */
  DoorbellSource NONE = () -> null;

  /**
   * The pipes of this process.
   *
   * @return null if doorbells are bytes on TCP connections
   */
  @Nullable Doorbells doorbells();
}
