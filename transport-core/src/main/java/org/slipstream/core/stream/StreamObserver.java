package org.slipstream.core.stream;

/** An observer that must look again when a stream changes: a selection key, an event loop. */
@FunctionalInterface
public interface StreamObserver {
  /**
   * Readiness may have changed. Any thread, under any lock of the stream: must not block or call
   * back.
   */
  void streamChanged();
}
